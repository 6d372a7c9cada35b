package understand

import (
	"strings"
	"unicode"

	"github.com/kljensen/snowball/english"
)

// word is one word or number of a message.
type word struct {
	text       string // lower case, spelling mended, contractions opened
	stem       string
	start, end int // runes of the message
}

// sentence is a part of a message that ends at . ? ! ; or a line break.
type sentence struct {
	words      []word
	breaks     map[int]bool // a comma, dash or colon stands before this word
	start, end int
	question   bool
	leads      bool // up to a short question: "Ten is the worst. Where are you?"
	reporting  bool // the message is addressed to a colleague
	colon      int  // the first word behind a colon; 0: there is none
	items      int  // how many + stand between words: "aspirin + oxygen"
	aside      bool // *within asterisks* or [brackets]: a stage direction
}

// contractions are opened so that negation and the person who acts can be seen.
var contractions = map[string]string{
	"dont": "do not", "don't": "do not", "doesn't": "does not", "doesnt": "does not", "didn't": "did not", "didnt": "did not",
	"won't": "will not", "wont": "will not", "can't": "can not", "cant": "can not", "cannot": "can not", "couldn't": "could not",
	"isn't": "is not", "isnt": "is not", "aren't": "are not", "wasn't": "was not", "shouldn't": "should not", "shouldnt": "should not",
	"wouldn't": "would not", "wouldnt": "would not", "haven't": "have not", "hasn't": "has not", "ain't": "is not",
	"i'm": "i am", "im": "i am", "i'll": "i will", "i've": "i have", "ive": "i have", "i'd": "i would", "id": "i would",
	"we're": "we are", "we'll": "we will", "we've": "we have", "we'd": "we would", "let's": "let us", "lets": "let us",
	"you're": "you are", "youre": "you are", "you'll": "you will", "youll": "you will", "you've": "you have", "you'd": "you would",
	"it's": "it is", "that's": "that is", "thats": "that is", "what's": "what is", "whats": "what is", "where's": "where is",
	"there's": "there is", "here's": "here is", "heres": "here is", "theres": "there is", "how's": "how is", "who's": "who is", "when's": "when is", "he's": "he is", "she's": "she is", "they're": "they are",
	"gonna": "going to", "wanna": "want to", "gotta": "got to", "gimme": "give me", "u": "you", "ur": "your", "r": "are", "pls": "please", "plz": "please",
	"whens": "when is", "hows": "how is", "wheres": "where is", "y'all": "you all", "he'd": "he would", "she'd": "she would", "they'd": "they would", "there'd": "there would",
}

var abbreviations = set("dr mr mrs ms prof st vs approx")

// split cuts a message into sentences of words. It never fails: what is
// neither letter nor digit only separates.
func split(message string) []sentence {
	runes := []rune(message)
	var all []sentence
	current := sentence{breaks: map[int]bool{}}
	aside := false
	finish := func(end int, question bool) {
		if len(current.words) > 0 {
			current.end, current.question = end, question
			all = append(all, current)
		}
		current = sentence{breaks: map[int]bool{}, aside: aside}
	}
	for i := 0; i < len(runes); {
		r := runes[i]
		if isWordRune(runes, i) {
			start := i
			for i < len(runes) && isWordRune(runes, i) {
				i++
			}
			current.add(string(runes[start:i]), start, i)
			continue
		}
		i++
		switch {
		case r == '.' && len(current.words) > 0 && abbreviations[current.words[len(current.words)-1].text]:
			// "Dr. Patel" is no end of a sentence
		case r == '?':
			finish(i, true)
		case r == '.' || r == '!' || r == ';' || r == '\n' || r == '…':
			finish(i, false)
		case r == '*' || r == '[' || r == ']':
			aside = r == '[' || r == '*' && !aside
			finish(i-1, false)
		case r == '+' && len(current.words) > 0:
			current.breaks[len(current.words)] = true
			current.items++
		case r == ',' || r == ':' || r == '(' || r == ')' || r == '–' || r == '—' || r == '-' && i < len(runes) && runes[i] == ' ':
			current.breaks[len(current.words)] = true
			if r == ':' && current.colon == 0 {
				current.colon = len(current.words)
			}
		}
	}
	finish(len(runes), false)
	return all
}

// isWordRune also keeps apostrophes, decimal points, and slashes and hyphens
// between letters or digits inside of a word ("don't", "0.4", "150/95").
func isWordRune(runes []rune, i int) bool {
	r := runes[i]
	if unicode.IsLetter(r) || unicode.IsDigit(r) {
		return true
	}
	if i == 0 || i+1 >= len(runes) {
		return false
	}
	before, after := runes[i-1], runes[i+1]
	switch r {
	case '\'', '’':
		return unicode.IsLetter(before) && unicode.IsLetter(after)
	case '.', '/', ',', ':':
		return unicode.IsDigit(before) && unicode.IsDigit(after)
	}
	return false
}

func (s *sentence) add(raw string, start, end int) {
	if len(s.words) == 0 {
		s.start = start
	}
	text := strings.ReplaceAll(strings.ToLower(raw), "’", "'")
	opened, ok := contractions[text]
	if !ok {
		s.words = append(s.words, word{text: strings.TrimSuffix(text, "'s"), start: start, end: end})
		return
	}
	for _, part := range strings.Fields(opened) {
		s.words = append(s.words, word{text: part, start: start, end: end})
	}
}

// stem is the Porter stem of an English word.
func stem(text string) string {
	if len(text) < 3 {
		return text
	}
	return english.Stem(text, true)
}
