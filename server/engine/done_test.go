package engine

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"simora/server/scenario"
	"simora/server/understand"
)

func TestAGuessIsAnsweredButNotDone(t *testing.T) {
	r := newRun(&stage{pkg: &scenario.Package{}}, 1)
	guessed := understand.Reading{Acts: []understand.Act{{ID: "next.step", How: understand.Performed, Guess: true}}}

	m := r.moment(guessed)
	assert.True(t, m.Act["next.step"], "the character reacts to it")
	assert.False(t, m.Done["next.step"], "no ending and no event counts on it")

	m = r.moment(understand.Reading{Acts: []understand.Act{{ID: "next.step", How: understand.Performed}}})
	assert.True(t, m.Done["next.step"])
	m = r.moment(guessed)
	assert.True(t, m.Done["next.step"], "what was done stays done")
}
