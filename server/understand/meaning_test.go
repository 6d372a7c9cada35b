package understand_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// What a sentence means beyond its words: by what stands behind it, by what it
// is like, and by what it denies.
func TestWhatASentenceMeans(t *testing.T) {
	for _, c := range []struct {
		slug, message, act string
		credited           bool
	}{
		{"corporate-sales", "You first, then my figures. Fine?", "agree.agenda", true},
		{"corporate-sales", "We can't promise zero risk.", "bluff", false},
		{"corporate-sales", "There is zero risk, I promise.", "bluff", true},
		{"corporate-sales", "who can say no to this", "ask.decision", true},
		{"corporate-sales", "What if we met next Tuesday with your controller?", "next.step", true},
		{"corporate-sales", "I can imagine how painful that was.", "empathise", true},
		{"healthcare-emergency", "quick bedside chest film", "order.xray", true},
		{"healthcare-emergency", "Should we do a chest film?", "order.xray", false},
	} {
		credited := false
		for _, a := range readers(t)[c.slug].Read(c.message).Acts {
			credited = credited || a.ID == c.act && a.How == performed && !a.Guess
		}
		assert.Equal(t, c.credited, credited, c.message)
	}
}
