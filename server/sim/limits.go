package sim

import "time"

// Numbers of the specification and of the wire contract, named once.
const (
	DefaultMaxTurns = 6  // a scenario without a value
	MinMaxTurns     = 1  // lowest max_turns a scenario may have
	MaxMaxTurns     = 50 // highest max_turns a scenario may have

	MaxMessageRunes = 2000 // one learner message
	MaxEmailBytes   = 254  // RFC 5321 §4.5.3.1.3, less the angle brackets
	MaxMetaBytes    = 512  // user agent, language: hostile text, stored capped
	MaxScreenPixels = 100_000

	TurnIdle       = time.Hour      // a run without a turn for this long takes no more turns
	CapabilityLife = 24 * time.Hour // complete and report mail are accepted this long after start

	MaxMailsPerSession = 3 // the first report mail and two resends
)
