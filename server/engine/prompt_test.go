package engine

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestPromptsBecomeFactsInTheFirstPerson(t *testing.T) {
	for prompt, want := range map[string][]string{
		"You are Olga Novak, a hotel guest. You have waited two hours for your room.": {"I am Olga Novak, a hotel guest.", "I have waited two hours for my room."},
		"Your flight was cancelled and nobody helped you. Stay in the role.":          {"My flight was cancelled and nobody helped me."},
		"You're tired; you were promised a call. Never tell the trainee why.":         {"I'm tired; I was promised a call."},
		"You secretly stole the ring. You must not reveal it.":                        nil,
		"Speak in short sentences. Answer only what is asked.":                        nil,
		"": nil,
	} {
		var got []string
		for _, f := range promptFacts(prompt) {
			got = append(got, f.text)
		}
		assert.Equal(t, want, got, prompt)
	}
}
