package engine

import (
	"regexp"
	"strings"

	"simora/server/sim"
	"simora/server/understand"
)

// A scenario without a package has only the prompt that an admin wrote. What it
// says about "you" the character may say about "I"; what it orders ("stay in
// the role") and what it hides ("never tell …") is not for telling.

var (
	sentenceEnd = regexp.MustCompile(`[.!?]+(\s+|$)|\n+`)
	aboutSelf   = regexp.MustCompile(`(?i)^(you|your|you're|you've)\b`)
	secret      = regexp.MustCompile(`(?i)\b(never|secret|secretly|hidden|hide|reveal|conceal|only if|unless|do not|don't|must|should|role|character|respond|reply|answer|speak|simulat|trainee|learner|user|participant|pretend|lie about|stay)`)
	firstName   = regexp.MustCompile(`(?i:you are|you're|your name is)\s+((?:Mr|Mrs|Ms|Dr)\.?\s+)?([A-Z][\p{L}'’-]+(?:\s+[A-Z][\p{L}'’-]+)?)`)
	words       = regexp.MustCompile(`[\p{L}'’]+|[^\p{L}'’]+`)
)

// promptFacts are the sentences of a prompt that the character may say of
// itself, asked by any question that shares a word with them.
func promptFacts(prompt string) []promptFact {
	var out []promptFact
	for _, s := range sentenceEnd.Split(prompt, -1) {
		if s = strings.TrimSpace(s); !aboutSelf.MatchString(s) || secret.MatchString(s) || len(s) > 240 {
			continue
		}
		out = append(out, promptFact{text: firstPerson(s) + ".", stems: understand.ContentStems(s)})
	}
	return out
}

type promptFact struct {
	text  string
	stems []string
}

var (
	subjects = map[string]string{"you": "I", "your": "my", "yours": "mine", "yourself": "myself", "you're": "I'm", "you've": "I've", "you'd": "I'd", "you'll": "I'll"}
	verbs    = map[string]string{"are": "am", "aren't": "am not", "were": "was", "weren't": "wasn't"}
	objects  = regexp.MustCompile(`(?i)\b(to|for|with|at|of|from|about|on|by|against|told|gave|asked|offered|refused|left|ignored|made|let|helps?|helped|saw|heard|called|hurt|paid|thanked|blamed|accused|insulted|owes?|met|knows?|sees?|calls?)$`)
)

// firstPerson turns "You are tired, and your boss left you alone" into "I am
// tired, and my boss left me alone".
func firstPerson(s string) string {
	var b strings.Builder
	subject := false // the last word was "I"
	for _, w := range words.FindAllString(s, -1) {
		low := strings.ToLower(strings.ReplaceAll(w, "’", "'"))
		switch {
		case low == "you" && objects.MatchString(strings.TrimRight(b.String(), " ")):
			b.WriteString("me")
		case subjects[low] != "":
			b.WriteString(capital(subjects[low], b.Len() == 0))
			subject = low == "you"
			continue
		case subject && verbs[low] != "":
			b.WriteString(verbs[low])
		default:
			b.WriteString(w)
		}
		if strings.TrimSpace(w) != "" {
			subject = false
		}
	}
	return b.String()
}

func capital(s string, first bool) string {
	if first {
		return strings.ToUpper(s[:1]) + s[1:]
	}
	return s
}

// promptName is who the prompt says that the character is, or the title.
func promptName(s sim.Scenario) string {
	if m := firstName.FindStringSubmatch(s.SystemPrompt); m != nil {
		return m[1] + m[2]
	}
	return s.Title
}

// recall tells the fact of the prompt that the message asks for: the one that
// shares most words with it, each once.
func (r *run) recall(message string, reading understand.Reading) []string {
	if !reading.Asks || reading.Meta || len(r.prompt) == 0 {
		return nil
	}
	open := reading.Has("talk.ask_open", understand.Performed)
	asked := map[string]bool{}
	for _, c := range understand.Clauses(message) {
		for _, s := range c.Stems {
			asked[s] = true
		}
	}
	best, most := -1, 0
	for i, f := range r.prompt {
		shared := 0
		for _, s := range f.stems {
			if asked[s] {
				shared++
			}
		}
		if open && shared == 0 {
			shared = 1 // "what happened?" asks for whatever was not said yet
		}
		if !r.said[f.text] && shared > most {
			best, most = i, shared
		}
	}
	if best < 0 {
		return nil
	}
	r.said[r.prompt[best].text] = true
	return []string{r.prompt[best].text}
}
