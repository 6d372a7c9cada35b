package llm

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxReplyRunes = 600
	minRecital    = 40 // consecutive letters of a secret
)

var (
	markup     = regexp.MustCompile("```|\\*|^#|\n\\s*[-•#]|</?[a-zA-Z][^>]*>|https?://|[{}]|\\[[^\\]]*\\]\\(")
	outOfRole  = regexp.MustCompile(`(?i)\b(as an ai|an ai (assistant|model)|language model|chatgpt|openai|role-?play|system prompt|my (instructions|programming)|i (can['’]?t|cannot|am unable to|['’]?m unable to) (assist|help|continue|comply|fulfill?|provide) (you )?(with )?(that|this|the) (request|conversation|scenario|content|information)|learner_says|last answer could not be used|follow every rule)`)
	sentence   = regexp.MustCompile(`[.!?…]["”’)]*(\s|$)`)
	figure     = regexp.MustCompile(`\d+`)
	whitespace = regexp.MustCompile(`\s+`)
)

// spoken checks that text is something that a person says aloud, and tidies
// what models habitually add to it.
func spoken(text, name string) (string, error) {
	text = strings.TrimSpace(text)
	if rest, ok := strings.CutPrefix(text, name+":"); ok && name != "" {
		text = strings.TrimSpace(rest)
	}
	if inner, ok := quoted(text); ok {
		text = inner
	}
	if !utf8.ValidString(text) || strings.ContainsRune(text, utf8.RuneError) || strings.ContainsFunc(text, unprintable) {
		return "", reject("it holds characters that nobody can say")
	}
	if markup.MatchString(text) {
		return "", reject("it is not plain spoken text")
	}
	if outOfRole.MatchString(text) {
		return "", reject("it leaves the role")
	}
	text = whitespace.ReplaceAllString(text, " ")
	if utf8.RuneCountInString(text) > maxReplyRunes {
		return "", reject("it is too long; one to three short sentences")
	}
	if !sentence.MatchString(text) { // most likely cut off by the limit of tokens
		return "", reject("it has no complete sentence")
	}
	ends := sentence.FindAllStringIndex(text, -1)
	text = strings.TrimSpace(text[:ends[len(ends)-1][1]])
	if !strings.ContainsFunc(text, unicode.IsLetter) {
		return "", reject("it says nothing")
	}
	return text, nil
}

// unprintable is any control or formatting character but white space: those
// that turn text around or hide it.
func unprintable(r rune) bool {
	return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Co, unicode.Cs))
}

func quoted(text string) (string, bool) {
	for _, marks := range []string{`""`, "“”"} {
		runes := []rune(marks)
		inner, opened := strings.CutPrefix(text, string(runes[0]))
		inner, closed := strings.CutSuffix(inner, string(runes[1]))
		if opened && closed && !strings.ContainsAny(inner, marks) {
			return strings.TrimSpace(inner), true
		}
	}
	return "", false
}

// plain keeps letters and digits, so that two texts that read alike are equal.
func plain(text string) string {
	var b strings.Builder
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		b.WriteString(word + " ")
	}
	return strings.TrimSpace(b.String())
}

// recites reports whether text repeats a longer part of secret that is not
// known already.
func recites(text, secret, known string) bool {
	runes, secret, known := []rune(plain(text)), plain(secret), plain(known)
	for i := 0; i+minRecital <= len(runes); i++ {
		part := string(runes[i : i+minRecital])
		if strings.Contains(secret, part) && !strings.Contains(known, strings.TrimSpace(part)) {
			return true
		}
	}
	return false
}

// inventsFigures reports whether text has a number that is not in known.
func inventsFigures(text, known string) bool {
	there := map[string]bool{}
	for _, n := range figure.FindAllString(known, -1) {
		there[n] = true
	}
	for _, n := range figure.FindAllString(text, -1) {
		if !there[n] {
			return true
		}
	}
	return false
}
