package score

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"simora/server/engine"
	"simora/server/scenario"
	"simora/server/understand"
)

func TestAGuessEarnsNothing(t *testing.T) {
	for _, guess := range []bool{false, true} {
		act := understand.Act{ID: "order.ecg", How: understand.Performed, Start: 0, End: 3, Guess: guess}
		_, met := test(scenario.Test{Acts: scenario.Names{"order.ecg"}}, []engine.Turn{{Message: "ecg", Reading: understand.Reading{Acts: []understand.Act{act}}}})
		assert.Equal(t, !guess, met)
	}
}
