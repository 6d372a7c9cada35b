package understand_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// What an act in few words, in somebody else's story or in talk about the
// exercise counts as.
func TestWhatCountsAsDone(t *testing.T) {
	for _, c := range []struct {
		slug, message, act string
		credited           bool
	}{
		// An order in few words: a dose, a time, items, a head, no verb at all.
		{"healthcare-emergency", "Fentanyl 50 for her chest", "give.opioid", true},
		{"healthcare-emergency", "oxygen mask 4l", "give.oxygen", true},
		{"healthcare-emergency", "nitro spray + aspirin 300", "give.aspirin", true},
		{"healthcare-emergency", "nitro spray + aspirin 300", "give.gtn", true},
		{"healthcare-emergency", "labs: troponin, lactate, INR, crossmatch", "get.bloods", true},
		{"healthcare-emergency", "crash trolley right by her bed", "ready.defib", true},
		{"healthcare-emergency", "second ecg at 20 minutes and if it hurts again", "repeat.ecg", true},
		{"healthcare-emergency", "ECG aspirin oxygen monitor IV troponin", "give.aspirin", false},
		{"aviation-cabin-crew", "One more beer then.", "serve.alcohol", true},
		// To colleagues, and whoever is there.
		{"aviation-cabin-crew", "Purser, row fourteen is at level two.", "tell.senior", true},
		{"healthcare-emergency", "Someone please ring her daughter.", "call.family", true},
		{"healthcare-emergency", "Somebody once rang the daughter.", "call.family", false},
		// Stage directions and things shown.
		{"healthcare-emergency", "sticks the ECG leads on her", "order.ecg", true},
		{"healthcare-emergency", "This is the little needle for your cannula.", "get.iv", true},
		// Leave asked is not advice asked.
		{"healthcare-emergency", "May I listen to your lungs?", "examine.chest", true},
		{"healthcare-emergency", "Should I listen to your lungs?", "examine.chest", false},
		{"healthcare-emergency", "am I allowed to give you morphine", "give.opioid", false},
		// Questions without a mark.
		{"healthcare-emergency", "heart disease in your family", "ask.family", true},
		{"healthcare-emergency", "current tablets please", "ask.medications", true},
		{"healthcare-emergency", "I take tablets for my heart.", "ask.medications", false},
		// Other times and other people.
		{"healthcare-emergency", "In my old hospital the morphine had to be counted twice.", "give.opioid", false},
		{"healthcare-emergency", "My cousin was given aspirin for his heart.", "give.aspirin", false},
		{"aviation-cabin-crew", "My colleague told the captain about it.", "tell.captain", false},
		{"aviation-cabin-crew", "Back in the day the purser threw them out.", "tell.senior", false},
		// The exercise.
		{"healthcare-emergency", "do I lose points for giving morphine", "give.opioid", false},
		{"aviation-cabin-crew", "could I play the purser", "tell.senior", false},
		{"healthcare-emergency", "what is an ECG", "order.ecg", false},
		// Suppositions and denials.
		{"healthcare-emergency", "Suppose it was her lung, would we need an x-ray?", "order.xray", false},
		{"healthcare-emergency", "No, the heparin stays in the fridge.", "give.p2y12", false},
		{"corporate-sales", "No promises of zero risk from us.", "bluff", false},
		{"aviation-cabin-crew", "The police are not waiting for you.", "police", false},
		// Figures are no bare list of words.
		{"corporate-sales", "TCO 7 years 3.1m, payback 30 months", "value.payback", true},
		{"corporate-sales", "TCO payback ROI NPV references rollback", "value.payback", false},
		// Two clauses.
		{"healthcare-emergency", "Can you tell me what tablets you take and if anything gives you a rash?", "ask.allergies", true},
		{"healthcare-emergency", "I'd like to take a blood sample. May I?", "ask.consent", true},
	} {
		credited := false
		for _, a := range readers(t)[c.slug].Read(c.message).Acts {
			credited = credited || a.ID == c.act && a.How == performed && !a.Guess
		}
		assert.Equal(t, c.credited, credited, c.message)
	}
}
