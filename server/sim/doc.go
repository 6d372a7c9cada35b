// Package sim is the language of the product: scenarios, conversations,
// reports, and the rules and numbers that hold for them everywhere.
//
//	Scenario ── a learner starts it ──▶ Session
//	Session  ── learner's Message ──▶ Reply        (every turn)
//	Session  ── completed ──▶ Report               (once)
//
// It imports the standard library only, does no I/O and reads no clock.
package sim
