// Package understand turns a learner's message into the dialogue acts that it
// performs, each with the span of runes that performs it.
//
//	message ─▶ sentences ─▶ words (spelling, stems, concepts)
//	        ─▶ clauses ─▶ cues and a classifier, and a chooser between them
//	        ─▶ grammar: is the act performed, only asked about, or declined?
//
// Only a clause that performs an act earns it: a question about an action, a
// hypothesis, reported speech, a refusal and a bare list of words do not.
package understand
