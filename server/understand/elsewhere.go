package understand

import (
	"strings"

	"simora/server/scenario"
)

// What a sentence speaks of when it performs nothing here and now: another
// time, other people, or the exercise itself. Phrases of whole words.
var (
	aboutExercise = []string{"in this story", "the story", "this exercise", "the exercise", "this game", "the game", "this simulation", "this role play", "this roleplay",
		"can i play", "do i play", "could i play", "i play the", "points do i", "points do you get", "points for", "lose points", "points when", "stand for", "stands for", "get points", "my exam", "the exam", "an exam", "my test tomorrow",
		"a hint", "any hints", "give me hints", "for real", "in real life", "this chat", "the chat", "this bot", "a robot", "a bot", "this app", "the app", "this website",
		"i supposed to say", "should i say", "do i say", "what to say", "would a good", "is the right answer", "the correct answer", "the next level", "start over", "restart"}
	anotherTime = []string{"in the old days", "in those days", "back in the day", "back when", "when i was", "in my day", "in my time", "i once", "last year i", "last week i", "years ago i", "told me that", "told me about", "told me how", "told me another", "told me she",
		"told me he", "told me they", "keeps telling me", "keep telling me", "always tells me", "always told me", "used to give", "used to tell", "where i work", "where i come from", "back in the nineties", "back in the eighties", "back in the old", "in germany", "in spain", "in india", "in england",
		"in america", "in the states", "in the uk", "last summer", "last winter", "last christmas", "of mine", "i read a", "i read an", "i read about", "i read that", "i read in", "i read somewhere", "i saw a", "i saw an", "i saw on", "i watched", "i heard on", "i heard about a",
		"in a film", "in the film", "in a movie", "in the movie", "on tv", "on the news", "in the news", "on netflix", "on youtube", "a podcast", "a documentary", "true story"}
	kin = set(`uncle aunt auntie cousin grandma grandmother grandpa grandfather grandad granddad gran nan neighbour neighbor flatmate roommate
		husband wife boyfriend girlfriend nephew niece ex teacher mate`)
	family    = set("mother father mum mom mam dad sister brother son daughter kids kid children parents")
	former    = set("last old previous former first school college university uni hometown country village training course studies")
	workplace = set("ward icu hospital unit clinic department place training country er ed")
	company   = set("colleague colleagues manager boss friend friends mate supervisor instructor trainer teammate coworker")
	someones  = set("my a our another one")
	pastOf    = set("was were had did forgot lost left saw heard knew thought came died fell felt told said gave took")
)

// talksAbout: it speaks about the exercise, not in it.
func (s sentence) talksAbout() bool { return s.holds(aboutExercise) }

// elsewhere: it tells of another time or of other people.
func (s sentence) elsewhere(m match, kind scenario.ActKind) bool {
	if m.story || s.toYou() && !m.harm {
		return false
	}
	if s.holds(anotherTime) {
		return true
	}
	for i := 0; i+2 < len(s.words); i++ {
		if !prepositions[s.words[i].text] && s.words[i].text != "in" {
			continue
		}
		if whose := s.words[i+1].text; whose == "my" && former[s.words[i+2].text] || i == 0 && (whose == "my" || whose == "our") && workplace[s.words[i+2].text] {
			return true
		}
	}
	for i := range s.words {
		t, before := s.words[i].text, ""
		if i > 0 {
			before = s.words[i-1].text
		}
		if before == "my" && (kin[t] || family[t] && kind != scenario.Say && !s.question) {
			return true
		}
		if company[t] && someones[before] {
			for k := i + 1; k < min(i+3, len(s.words)); k++ {
				if pastOf[s.words[k].text] || pastVerb(s.words[k].text) || s.words[k].text == "says" {
					return true
				}
			}
		}
	}
	return false
}

// tellsOfOthers: "they normally start with …" asks nobody.
func (s sentence) tellsOfOthers() bool {
	if s.question || s.toYou() || s.inquires() {
		return false
	}
	for i := range s.words {
		if outsiders[s.words[i].text] && (i == 0 || s.breaks[i]) || s.words[i].text == "the" && s.at(i+1) == "paramedics" {
			return true
		}
	}
	return false
}

func (s sentence) toYou() bool {
	for _, w := range s.words {
		if w.text == "you" || w.text == "your" {
			return true
		}
	}
	return false
}

// holds reports whether one of the phrases stands in the sentence.
func (s sentence) holds(phrases []string) bool {
	var b strings.Builder
	for _, w := range s.words {
		b.WriteByte(' ')
		b.WriteString(w.text)
	}
	b.WriteByte(' ')
	text := b.String()
	for _, p := range phrases {
		if strings.Contains(text, " "+p+" ") {
			return true
		}
	}
	return false
}
