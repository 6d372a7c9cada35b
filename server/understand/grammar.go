package understand

import (
	"slices"
	"strings"

	"simora/server/scenario"
)

// How says in what way an act occurs in a message.
type How string

// The three ways.
const (
	Performed How = "performed"
	Asked     How = "asked"   // only asked about, imagined, reported or listed
	Refused   How = "refused" // declined or denied
)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

var (
	negators      = set("not no never without nor neither none nobody cannot")
	avoiders      = set("skip avoid refuse refusing withhold cancel forget stop against delay postpone hold")
	boundaries    = set("but so then because instead however although though therefore otherwise")
	functionWords = set(`a an the i you he she it we they me him her us them my your his our their this that these those is am are was were be been
		being do does did have has had will would can could should shall may might must to of in on at for with from by and or but if so as not no
		there here just any some let us please now ok okay`)
	interrogatives = set("what when where who which why how whats do does did is are was were have has had can could would will may")
	copulas        = set("is are was were")
	addressees     = set("you it there the your that this he she they any we i")
	auxiliaries    = set("am are will have would can could need was were do did")
	perceptions    = set("see understand know hear imagine realise realize get feel appreciate")
	hypothetical   = set("if unless when whenever")
	asking         = set("what when where who which why how")
	prepositions   = set("by on till until in from at for since with to")
	pronouns       = set("i we you he she they it us them")
	naming         = set("give put name list score")
	inquiries      = set("check verify screen enquire inquire assess clarify query reassess explore") // what a learner says that he does: "I verify her name"
	asksFirst      = set("is are am does")
	pastAuxiliary  = set("was were had did")
	unreal         = set("did had were could")
	anyone         = set("i he she they a somebody someone")
	telling        = set("says said say states reads showed costs")
	behindOnce     = set("the a he she it you we they that this your more again") // where "once" means "as soon as" or "again"
	finites        = set("is are will can has have must should was were")
	firstPerson    = set("i we us let me my our")
	strangers      = set("nurse nurses learner learners candidate candidates trainee trainees student students participant participants clinician clinicians guideline guidelines protocol protocols textbook textbooks esc aha study studies agent seller salesperson rep crewmember attendant salespeople seller sellers manual")
	outsiders      = set("he she they someone somebody people everyone paramedics")
	courteous      = set("ok okay fine alright right mind allowed please possible agree may like")
	held           = set("your her my his still")
	whethers       = set("tell know see ask check wonder wondering me us sure unsure out")
	trade          = set("crew attendant steward stewardess professional expert pro seller salesperson nurse vendor colleague trainer coach")
	agents         = set("someone somebody you we anyone nurse team name doctor guys colleague dr") // who may be asked to act
	adjectives     = set("phased fixed based detailed shared tested agreed")
	possessed      = set("a an the your my our his to some it this that these one two") // behind "would have": nothing unreal
	offered        = set("a an some this these another more")
	colleagues     = set("dr doctor doc")
	vocatives      = set("purser captain nurse sister team guys")
	greetings      = set("hi hello hey ok okay right so yes")
	pastVerbs      = set("told said gave ran took brought sent got went made kept spoke began put did had")
	stays          = set("stays stay waits wait")
	pastTimes      = set("yesterday ago previously formerly once")
	urgency        = set(`now stat asap immediately urgently urgent straightaway please first next mg mcg ml chewed chew sublingual sl po iv
		given every micrograms mics units litres liters puffs puff being done in on attached connected started placed sent taken ordered called running ready going put get ready prn straight underway scratch prick`)
	verbs = set(`get take do give put attach connect start place send call order obtain perform run set insert draw bring page alert activate notify
		tell check monitor measure record prepare hook apply administer administering keep sit lie raise stay rest repeat request grab fetch move wheel transfer stop
		inform phone ring contact escalate document write note chart help ask offer hand use make apply print show read compare listen push grab bring lay
		getting taking doing giving putting attaching connecting starting placing sending calling ordering obtaining performing running setting inserting
		drawing bringing paging alerting activating notifying telling checking monitoring measuring recording preparing hooking applying
		keeping sitting raising repeating requesting grabbing moving wheeling transferring informing phoning ringing contacting escalating documenting writing
		noting hand handing using loading load ring dial fill pop stick pour serve log file arrange organise organize
		reseat restrain recheck update crush chew swallow shave wipe cover titrate bleep
		cut undress dry test examine plug roll redo spray lift measure let feel undo pull hang draw dim swap press wake tie cuff seize cannulate cannulating site siting bolus begin beginning go leave wait walk`)
	unsure = []string{"am i allowed", "are we allowed", "is it allowed", "am i supposed", "do i have to", "do we have to", "do i need to", "can a nurse", "may a nurse", "can nurses", "may nurses", "would it be smart", "is it a good idea", "should i"}
	leave  = []string{"can i", "could i", "may i", "shall i", "can we", "could we", "may we", "shall we", "ok if i", "okay if i", "alright if i", "right if i", "fine if i", "mind if i",
		"ok if we", "okay if we", "alright if we", "fine if we", "mind if we", "with you if i", "for you if i", "with you if we"}
	takenBack = map[string]bool{"not": true, "just kidding": true, "only joking": true, "kidding": true, "as if": true, "haha no": true, "not really": true, "yeah right": true}
	// Pain score, pain points and decision criteria belong to the work, so these
	// words count only together with what makes them about the report.
	aboutScoring = []string{"my score", "full score", "max score", "maximum score", "perfect score", "highest score", "high score", "top score", "final score",
		"overall score", "overall 100", "100 100", "perfect 100", "score me", "score of 100", "score 100", "score is 100", "score to 100", "my evaluation", "evaluation criteria", "evaluation complete",
		"scoring", "all point", "full point", "max point", "maximum point", "100 point", "award me", "award full", "all criteria", "criteria met",
		"every criterion", "all criterion", "criterion met", "criteria are met", "criteria as met", "rubric", "grade me", "grading", "full marks", "examiner",
		"text above", "above this line", "words above", "system prompt", "previous instruction", "prior instruction", "above instruction", "ignore all", "hidden instruction", "your instructions", "your prompt",
		"language model", "as an ai", "you are now", "developer mode", "jailbreak", "decision quality", "communication clarity", "empathy professionalism",
		"give me 100", "100 out of 100", "out of 100", "100 percent score", "max turns", "many points do i have", "my points", "see the score", "see my result"}
)

// scope says how the act that m expresses is meant.
func (s sentence) scope(m match, kind scenario.ActKind, listed bool) How {
	inside := m.from // where the words before the act end
	if m.whole {
		inside = min(m.to, m.from+governed)
	}
	s.question = s.question && !s.asksLater(m.to)
	if !m.negator && s.negated(m, inside, kind) || m.whole && kind != scenario.Ask && s.negatedAsking() || s.promisesNone(m, kind) || m.negator && m.harm && !m.whole && s.deniesBefore(m.from) {
		return Refused
	}
	if start := s.at(s.clauseStart(m.from)); m.harm && !m.condition && (start == "if" || start == "unless") && !s.politely(s.clauseStart(m.from)) {
		return Asked
	}
	if s.talksAbout() || s.elsewhere(m, kind) {
		return Asked
	}
	if s.imagined(m, kind) && (kind != scenario.Ask || !s.leads && !s.supposes()) || kind == scenario.Do && s.conditional(m) || s.reported(m, kind) {
		return Asked
	}
	switch kind {
	case scenario.Ask:
		if (s.asks() || s.leads || m.statement || m.certain && s.bare()) && (!listed || s.enumerates()) && (s.question || !s.reporting) && (s.at(0) != "should" || !firstPerson[s.at(1)]) {
			return Performed
		}
		return Asked
	case scenario.Do:
		if s.defines() {
			return Asked
		}
		if !listed && !m.harm && s.asksLeave() && !s.unsure() {
			return Performed
		}
		if listed || s.wonders(m.question) || !m.question && (!m.alike || s.question) && !s.commits(max(inside, m.from), m) {
			return Asked
		}
		return Performed
	}
	if listed || s.wonders(m.question) && !s.offers() || s.defines() {
		return Asked
	}
	return Performed
}

// governed is how many words of a clause a negation at its start reaches, when
// it is not known which of its words perform the act.
const governed = 5

// asksLater: the question mark belongs to a later clause of the sentence.
func (s sentence) asksLater(after int) bool {
	for i := max(after, 1); i < len(s.words); i++ {
		if !s.breaks[i] && s.words[i-1].text != "and" && !boundaries[s.words[i-1].text] {
			continue
		}
		if t := s.words[i].text; interrogatives[t] || (t == "and" || boundaries[t]) && (interrogatives[s.at(i+1)] || asking[s.at(i+2)]) {
			return true
		}
	}
	return false
}

// clauseStart is the first word of the clause that word i belongs to.
func (s sentence) clauseStart(i int) int {
	for ; i > 0; i-- {
		if s.breaks[i] || boundaries[s.words[i-1].text] {
			return i
		}
		if s.words[i-1].text == "and" && i < len(s.words) && (firstPerson[s.words[i].text] || s.words[i].text == "you" || verbs[s.words[i].text]) {
			return i
		}
	}
	return 0
}

// negated looks for a negation before the act in its clause, inside of its
// words, or right behind it.
func (s sentence) negated(m match, from int, kind scenario.ActKind) bool {
	if kind == scenario.Ask {
		if asks := s.interrogative(); asks || s.negatedAsking() {
			return !asks
		}
	}
	to := m.to
	until := from
	if !m.whole {
		until = to
	}
	for i := s.clauseStart(m.from); i < until; i++ {
		t := s.words[i].text
		if avoiders[t] && kind == scenario.Do && i < from && !s.holdsOn(i) {
			return true
		}
		if !negators[t] || t == "without" && (m.whole || s.acts(i, from)) {
			continue
		}
		next := s.at(i + 1)
		if kind == scenario.Say && i < m.to && s.threatens(i) {
			continue // "if you don't sign today, …" withholds nothing
		}
		if next == "only" || next == "worry" || next == "problem" || next == "worries" || next == "hesitate" || next == "doubt" || from-i > 8 {
			continue
		}
		return true
	}
	if m.whole && kind == scenario.Do && s.keepsBack(m) {
		return true
	}
	for i := to; i < min(to+3, len(s.words)) && !s.breaks[i]; i++ {
		t := s.words[i].text
		if kind == scenario.Do && (t == "not" || t == "unnecessary" || stays[t] && !auxiliaries[s.at(i-1)] && !firstPerson[s.at(i-1)] && s.at(i-1) != "ill") {
			return true
		}
		if kind == scenario.Say && auxiliaries[s.at(i-1)] && t == "not" && strings.HasSuffix(s.at(i+1), "ing") {
			return true // "the police aren't coming"
		}
	}
	return false
}

// holdsOn: "hold on to the bottle", "hold your arm still" keep nothing back.
func (s sentence) holdsOn(i int) bool {
	next := s.at(i + 1)
	return s.at(i) == "hold" && (next == "on" && s.at(i+2) == "to" || held[next])
}

// keepsBack: "the heparin stays in the fridge" gives none.
func (s sentence) keepsBack(m match) bool {
	return slices.ContainsFunc(s.words[m.from:m.to], func(w word) bool { return w.text == "stays" || w.text == "waits" })
}

// acts: a first person stands between two words ("without the belt I have to …").
func (s sentence) acts(after, before int) bool {
	for i := after; i < before; i++ {
		if t := s.words[i].text; t == "i" || t == "we" {
			return true
		}
	}
	return false
}

// deniesBefore: "I can't promise that there is no risk" promises nothing.
func (s sentence) deniesBefore(from int) bool {
	for i := s.clauseStart(from); i < from; i++ {
		if negators[s.words[i].text] {
			return true
		}
	}
	return false
}

// promisesNone: "no guarantees from me", though a negation is natural for the act.
func (s sentence) promisesNone(m match, kind scenario.ActKind) bool {
	if !m.harm && kind != scenario.Do {
		return false
	}
	none := false
	for i := s.clauseStart(m.from); i < len(s.words); i++ {
		none = none || s.words[i].text == "no"
		if none && s.words[i].text == "from" && (s.at(i+1) == "me" || s.at(i+1) == "us") {
			return true
		}
	}
	return false
}

// threatens: word i belongs to a condition put to the listener.
func (s sentence) threatens(i int) bool {
	start := s.clauseStart(i)
	return hypothetical[s.at(start)] && s.at(start+1) == "you"
}

// interrogative: a question by its mark or by how it begins.
func (s sentence) interrogative() bool {
	first, next := s.at(0), s.at(1)
	return s.question || asking[first] || prepositions[first] && asking[next] || interrogatives[first] && addressees[next]
}

// negatedAsking: "I'm not going to ask you about …".
func (s sentence) negatedAsking() bool {
	for i := range s.words {
		if t := s.words[i].text; t != "ask" && t != "asking" {
			continue
		}
		for k := max(0, i-4); k < i; k++ {
			if negators[s.words[k].text] {
				return true
			}
		}
	}
	return false
}

// offers: "shall we say Thursday?" proposes what it asks.
func (s sentence) offers() bool {
	return s.at(0) == "shall" || boundaries[s.at(0)] && s.at(1) == "shall"
}

// imagined: a hypothesis, a habit, or what would have been.
func (s sentence) imagined(m match, kind scenario.ActKind) bool {
	from := m.from
	start := s.clauseStart(from)
	if m.whole {
		from = min(m.to, m.from+governed)
	}
	first := s.words[0].text
	for i := start; i < from || i == start && i < len(s.words); i++ {
		switch t := s.words[i].text; t {
		case "imagine":
			if i > 0 && set("can could only")[s.words[i-1].text] {
				continue // "I can imagine how that felt"
			}
			return true
		case "wish", "use":
			if kind == scenario.Do && i > 0 && (s.at(i-1) == "i" || t == "use" && s.at(i-1) == "could") {
				return true // "I wish …", "I could use some …"
			}
		case "suppose", "hypothetically", "theoretically", "supposing", "pretend":
			return true
		case "if", "whether", "unless":
			if kind == scenario.Do && !s.asksLeave() || first == "what" && kind == scenario.Ask {
				return true
			}
		case "might":
			if kind == scenario.Do {
				return true
			}
		case "would":
			// "I would get an ECG" answers "What do you do?"; "they would" tells.
			if kind == scenario.Do && i > 0 && !firstPerson[s.words[i-1].text] && s.at(i+1) != "you" && s.at(i+1) != "like" {
				return true
			}
		case "normally", "usually", "typically", "generally", "theory":
			if kind == scenario.Do || kind == scenario.Say && s.question || t == "theory" {
				return true
			}
		}
		if t := s.words[i].text; (t == "should" || t == "could" || t == "would" || t == "might") && (s.at(i+1) == "have" && !possessed[s.at(i+2)] || s.at(i+2) == "have" && !possessed[s.at(i+3)]) && !s.question {
			return true
		}
	}
	if first == "if" && firstPerson[s.at(1)] && s.at(2) == "had" && kind != scenario.Ask {
		return true
	}
	if first == "if" && !s.question && (unreal[s.at(2)] || kind != scenario.Say && anyone[s.at(1)] && s.past(2, 5)) {
		return true
	}
	opening := first
	if greetings[first] || first == "and" {
		opening = s.at(1)
	}
	if kind != scenario.Say && (opening == "suppose" || opening == "supposing" || opening == "imagine") {
		return true
	}
	proposes := kind == scenario.Say && m.question && firstPerson[s.at(2)] // "what if we met on Thursday?"
	return first == "what" && s.at(1) == "if" && !proposes
}

// past: a past form of an auxiliary stands among these words.
func (s sentence) past(from, to int) bool {
	for i := from; i < min(to, len(s.words)); i++ {
		if pastAuxiliary[s.words[i].text] {
			return true
		}
	}
	return false
}

// conditional: "if it goes on, I'll inform the captain" announces, and does
// nothing yet. "If that's all right with you" is politeness.
func (s sentence) conditional(m match) bool {
	for i, w := range s.words {
		switch w.text {
		case "otherwise":
			return i < m.to
		case "if", "unless":
			indirect := i > 0 && (whethers[s.words[i-1].text] || courteous[s.words[i-1].text] || s.asksLeave()) // "tell me if …" asks
			if i > m.from && (s.at(i-1) == "and" || s.at(i-1) == "or" || s.at(i-1) == "but") {
				continue // "again in ten minutes or if it changes", "…, and if it goes on, …"
			}
			if own := s.clauseStart(i); own > m.to-1 && own < i && s.at(own) != "and" {
				continue // "…, tell me if it hurts": the condition of a later clause
			}
			outside := i < m.from || i >= m.to || m.whole && i > m.from && !m.condition
			if outside && !indirect && !s.politely(i) {
				return true
			}
		}
	}
	return false
}

// supposes: "imagine it went well, what do you have then" asks about the
// supposed, unless what it supposes is asking.
func (s sentence) supposes() bool {
	asks := false
	for i, w := range s.words {
		if w.stem == "ask" {
			return false
		}
		asks = asks || asking[w.text] && (i > 0 || s.at(1) != "if")
	}
	return asks
}

func (s sentence) politely(at int) bool {
	for i := at; i < min(at+7, len(s.words)); i++ {
		if courteous[s.words[i].text] {
			return true
		}
	}
	return false
}

// at is the text of word i, or nothing beyond the end.
func (s sentence) at(i int) string {
	if i < len(s.words) {
		return s.words[i].text
	}
	return ""
}

// narrated: the clause tells what somebody else did or would do.
func (s sentence) narrated(from int) bool {
	i := s.clauseStart(from)
	if first := s.at(i); first == "then" || first == "and" || first == "finally" {
		i++
	}
	for k := 0; k < 4 && !outsiders[s.at(i)]; k++ {
		i++ // "in the end he …"
	}
	if !outsiders[s.at(i)] && s.at(i) != "one" || i == 0 && s.called(i) && s.at(1) != "had" {
		return false
	}
	verb := s.at(i + 1)
	if verb == "then" || verb == "also" || verb == "first" {
		verb = s.at(i + 2)
	}
	return verb == "would" || pastVerb(verb)
}

// general: the sentence says what people of the trade do in such a case.
func (s sentence) general() bool {
	for i := range s.words {
		t := s.words[i].text
		if t == "such" && (s.at(i+1) == "a" || s.at(i+1) == "cases" || s.at(i+1) == "situations") && i > 1 {
			return true
		}
		if i < 4 && trade[t] && s.at(i+1) == "would" {
			return true
		}
	}
	return false
}

// pastVerb: the regular ending, or one of the frequent irregular verbs.
func pastVerb(text string) bool {
	return !adjectives[text] && strings.HasSuffix(text, "ed") && len(text) > 4 || pastVerbs[text]
}

// reported: someone else acts, or it happened before.
func (s sentence) reported(m match, kind scenario.ActKind) bool {
	from := m.from
	if kind == scenario.Ask && s.tellsOfOthers() {
		return true
	}
	if !m.story && s.narrated(from) || s.general() {
		return true
	}
	if kind == scenario.Ask {
		for i := 0; i < min(from, 4); i++ {
			if strangers[s.words[i].text] && !s.question && !s.addressed() && !s.acts(0, i) {
				return true
			}
		}
		return false
	}
	for i := 0; i < min(from, 4); i++ {
		t := s.words[i].text
		if strangers[t] && !s.addressed() && !s.acts(0, i) {
			return true
		}
		if kind == scenario.Do && outsiders[t] && !s.question && !s.called(i) && i+1 < len(s.words) && s.words[i+1].text != "need" && s.words[i+1].text != "needs" && i == s.clauseStart(from) {
			return true
		}
	}
	if kind == scenario.Do {
		for i, w := range s.words {
			if pastTimes[w.text] && !s.conjoins(i) || w.text == "last" && i+1 < len(s.words) && set("week month year time night")[s.words[i+1].text] {
				return true
			}
		}
	}
	return false
}

// enumerates: a question for several things ("any cough, fever, chills?").
func (s sentence) enumerates() bool {
	return s.question && (len(s.breaks) > 0 || s.at(0) == "any")
}

// called: "somebody please phone …" calls on whoever is there.
func (s sentence) called(i int) bool {
	return (s.at(i) == "someone" || s.at(i) == "somebody" || s.at(i) == "everyone") && (s.at(i+1) == "please" || verbs[s.at(i+1)])
}

// conjoins: "once" means "as soon as" or "once more".
func (s sentence) conjoins(i int) bool {
	return s.at(i) == "once" && behindOnce[s.at(i+1)]
}

// addressed: the sentence speaks to a colleague ("Nurse, get me …").
func (s sentence) addressed() bool {
	for i := 1; i < min(4, len(s.words)); i++ {
		if s.breaks[i] || s.words[i-1].text == "can" || s.words[i-1].text == "could" {
			return true
		}
	}
	return firstPerson[s.words[0].text]
}

// asks: the sentence is a question or a request for information.
func (s sentence) asks() bool {
	if s.question {
		return true
	}
	if s.perceives() {
		return false
	}
	for i, w := range s.words {
		if asking[w.text] || interrogatives[w.text] && (i == 0 || s.breaks[i] || (s.at(i-1) == "or" || s.at(i-1) == "and" || i < 4) && addressees[s.at(i+1)]) {
			return true
		}
		switch w.text {
		case "tell", "describe", "rate", "any", "know", "explain", "show", "ask", "confirm", "anything", "point", "asking", "wondering", "hear":
			return true
		}
	}
	if s.topic() || s.at(0) == "i" && inquiries[s.at(1)] {
		return true
	}
	first := s.words[0].text
	return first == "ever" || first == "dose" && addressees[s.at(1)] || (first == "you" || first == "your") && len(s.words) > 2 || len(s.words) <= 2
}

// topic: what is asked about and nothing more ("heart trouble in your family",
// "current tablets please", "sharp or dull", "put a number on it").
func (s sentence) topic() bool {
	yours, verbless := false, true
	for i, w := range s.words {
		if w.text == "i" || w.text == "we" || w.text == "not" || i > 0 && auxiliaries[w.text] {
			return false
		}
		yours = yours || w.text == "your" || w.text == "or"
		verbless = verbless && !copulas[w.text] && !pastVerb(w.text)
	}
	last := s.words[len(s.words)-1].text
	return verbless && (yours || last == "please" || last == "go") || naming[s.at(0)]
}

// perceives: "I can see how much it hurts" asks nothing, whatever stands in it.
func (s sentence) perceives() bool {
	for i := range min(4, len(s.words)) {
		if perceptions[s.words[i].text] {
			wish := false // "I need to know how …"
			for _, w := range s.words[:i] {
				wish = wish || w.text == "to"
			}
			return firstPerson[s.at(0)] && !wish
		}
	}
	return false
}

// wonders: a question whether to act, which is no action, unless the act is
// one that questions perform ("would you like some water?").
func (s sentence) wonders(byQuestion bool) bool {
	if s.unsure() || s.inquires() && !byQuestion {
		return true
	}
	for i := range min(4, len(s.words)) {
		t, next := s.at(i), s.at(i+1)
		we := next == "i" || next == "we"
		switch t {
		case "should", "must":
			if we {
				return true
			}
		case "shall", "may":
			if we && !byQuestion {
				return true
			}
		case "do", "does", "did", "is", "are", "was", "were", "has", "have", "why", "when", "how", "which", "who", "where", "what":
			my := t == "is" && next == "it" && (s.at(i+2) == "my" || s.at(i+2) == "our")
			if i == 0 && s.question && (!byQuestion || my) || i > 0 && (t == "do" || t == "did") && (we || next == "you") && s.question {
				return true
			}
		case "can", "could", "would", "will":
			if (next == "i" || next == "it") && s.question && !byQuestion || t == "would" && next == "it" && s.at(i+2) == "be" && s.question || t == "would" && next == "you" && s.at(i+2) == "like" && s.at(i+3) == "me" {
				return true
			}
		}
	}
	return false
}

// inquires: a question by its first words, though it lacks the mark.
func (s sentence) inquires() bool {
	first, next := s.at(0), s.at(1)
	return asking[first] && (copulas[next] || auxiliaries[next] || next == "does" || next == "much" || next == "many" || next == "long") ||
		asksFirst[first] || first == "did" && addressees[next] || first == "do" && (next == "i" || next == "we")
}

// defines: it asks what a word means ("what is a STEMI").
func (s sentence) defines() bool {
	return s.at(0) == "what" && (s.at(1) == "is" || s.at(1) == "are") && len(s.words) <= 5 && (s.at(2) == "a" || s.at(2) == "an" || len(s.words) == 3 && s.at(2) != "that" && s.at(2) != "this" && s.at(2) != "it")
}

// unsure: the learner asks what is expected of him.
func (s sentence) unsure() bool {
	return s.holds(unsure)
}

// asksLeave: "May I take your pulse?" asks and does, where "Should I?" does not.
func (s sentence) asksLeave() bool {
	return s.toYou() && s.holds(leave)
}

// commits: the sentence sets an action going.
func (s sentence) commits(from int, m match) bool {
	if !s.question && len(s.words) <= 3 && m.to-m.from == len(s.words) {
		return true // "12-lead ECG"
	}
	if s.aside || s.toColleague() {
		return true // a stage direction, or an order to a colleague
	}
	start := s.clauseStart(min(from, len(s.words)-1))
	if !s.question && s.noted(start, m) {
		return true
	}
	if !s.question && (s.at(start) == "have" && offered[s.at(start+1)] || s.at(start) == "here" && (s.at(start+1) == "is" || s.at(start+1) == "are")) {
		return true // "have a sip of this", "here's something for the pain"
	}
	for i := 0; i < from; i++ {
		if firstPerson[s.words[i].text] {
			return true
		}
	}
	for i := start; i < min(start+3, len(s.words)) && !s.question; i++ {
		if verbs[s.words[i].text] {
			return true
		}
	}
	if s.question { // "can someone get …?"
		for i := 0; i < min(4, len(s.words)-1); i++ {
			if set("can could will would")[s.words[i].text] && agents[s.words[i+1].text] {
				return true
			}
		}
		return false
	}
	first, last := 0, len(s.words)
	if s.describes(start, m.to) {
		first, last = start, m.to // "your oxygen is 94": what is urgent elsewhere is not this
	}
	for i := first; i < last; i++ {
		if t := s.words[i].text; urgency[t] || t == "you" && i < from || t == "need" || t == "needs" || t == "want" || i < from && verbs[t] {
			return true
		}
	}
	return false
}

// toColleague: "Dr Patel, this is …", "Purser, just so you know …"
func (s sentence) toColleague() bool {
	i := 0
	if greetings[s.at(0)] {
		i = 1
	}
	return colleagues[s.at(i)] || vocatives[s.at(i)] && s.breaks[i+1]
}

// noted: an order in few words, by what makes words an order: a dose, a time or
// another number, a list behind its head ("bloods: trop, FBC"), a plus between
// items, "one more", a stage direction ("hands him the form"), or showing the
// thing ("this is the needle").
func (s sentence) noted(start int, m match) bool {
	first, next := s.at(start), s.at(start+1)
	switch {
	case m.from < s.colon && s.colon <= 3, s.items > 0,
		first == "one" && (next == "more" || next == "last") || first == "another",
		(first == "this" || first == "that") && next == "is" && offered[s.at(start+2)] || first == "this" && next == "is" && (s.at(start+2) == "the" || s.at(start+2) == "your"),
		verbs[strings.TrimSuffix(first, "s")] && strings.HasSuffix(first, "s"), verbs[strings.TrimSuffix(first, "es")] && strings.HasSuffix(first, "es"):
		return true
	}
	_, end := s.clause(m.from, m.to)
	if s.says(start, end) || s.describes(start, end) {
		return false
	}
	if m.certain && s.verbless(start, end) || len(s.breaks) >= 2 && s.verbless(0, len(s.words)) {
		return true // "crash trolley next to the bed", "trop, coags, group and save"
	}
	for i := start; i < end; i++ {
		if numeral(s.words[i].text) && s.at(i+1) != "lead" {
			return true
		}
	}
	return false
}

// verbless: a clause of a few words without subject and verb.
func (s sentence) verbless(from, to int) bool {
	for i := from; i < to; i++ {
		if t := s.words[i].text; copulas[t] || auxiliaries[t] || negators[t] || pronouns[t] || t == "has" || t == "had" || t == "if" || i > from && pastVerb(t) {
			return false
		}
	}
	return to-from <= 10
}

// bare: nothing but a few words without a verb and without figures, of which no
// report to a colleague consists.
func (s sentence) bare() bool {
	for _, w := range s.words {
		if numeral(w.text) {
			return false
		}
	}
	return len(s.breaks) == 0 && s.verbless(0, len(s.words))
}

// numeral: "300", "2l", "5000".
func numeral(text string) bool { return text[0] >= '0' && text[0] <= '9' }

// says: somebody or something tells it ("the poster says …").
func (s sentence) says(from, to int) bool {
	for i := from + 1; i < to; i++ {
		if telling[s.words[i].text] && !firstPerson[s.words[i-1].text] {
			return true
		}
	}
	return false
}

// describes: the clause says how something is.
func (s sentence) describes(from, to int) bool {
	for i := from + 1; i < to; i++ {
		if copulas[s.words[i].text] {
			return !verbs[s.at(from)] && !firstPerson[s.at(from)]
		}
	}
	return false
}

// withdraws returns where "…, but I won't" begins, which takes back what stands
// before it; 0: nowhere.
func (s sentence) withdraws() int {
	n := len(s.words)
	for i := max(1, n-7); i < n; i++ {
		if s.words[i].text != "but" || !firstPerson[s.at(i+1)] {
			continue
		}
		for k := i + 2; k < min(i+4, n); k++ {
			if negators[s.words[k].text] {
				return i
			}
		}
	}
	return 0
}

// takesBack: "Of course I'll stay. Not."
func (s sentence) takesBack() bool {
	text := ""
	for _, w := range s.words {
		text += w.text + " "
	}
	return takenBack[strings.TrimSpace(text)]
}

// listed: words of many acts without the grammar of a sentence.
func (s sentence) listed(acts int) bool {
	grammar, times := 0, map[string]int{}
	for _, w := range s.words {
		if times[w.stem]++; times[w.stem] >= 3 && !functionWords[w.text] && len(w.text) > 2 {
			return true // "belt belt belt"
		}
		if functionWords[w.text] || verbs[w.text] || urgency[w.text] {
			grammar++
		}
	}
	n := float64(len(s.words))
	share := float64(grammar) / n
	numbers := 0
	for _, w := range s.words {
		if numeral(w.text) {
			numbers++
		}
	}
	switch {
	case acts <= 2 && s.colon > 0 && s.colon <= 3, numbers >= 2 && (acts <= 3 || s.colon > 0), numbers >= 3 && len(s.breaks) >= 2, numbers > 0 && acts <= 2, numbers > 0 && acts <= 5 && s.items >= acts-1 && s.items > 0:
		return false // a list behind its head, figures, items with a dose
	case acts >= 3 && n < 1.6*float64(acts):
		return true
	case acts >= 4:
		return share < 0.25
	case acts >= 2:
		return n >= 6 && share < 0.15
	}
	return n >= 9 && share < 0.10
}

// checklist reports whether a sentence is a line of a rubric: a heading, a
// colon, and what somebody did without saying who.
func (s sentence) checklist() bool {
	if s.colon == 0 || s.colon > 4 || !pastVerb(s.at(s.colon)) && s.at(s.colon) != "no" {
		return false
	}
	for _, w := range s.words {
		if firstPerson[w.text] || w.text == "you" {
			return false
		}
	}
	return true
}

// scores reports whether a sentence speaks about the scoring or the machine
// behind the character instead of to the character.
func (s sentence) scores() bool {
	if s.checklist() {
		return true
	}
	var b strings.Builder
	for _, w := range s.words {
		b.WriteString(" " + w.text)
	}
	text := b.String() + " "
	for _, p := range aboutScoring {
		if strings.Contains(text, " "+p) {
			return true
		}
	}
	return false
}
