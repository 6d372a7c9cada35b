package store

import "time"

// dbNow is PostgreSQL's clock at the start of the statement, in milliseconds.
const dbNow = "(extract(epoch FROM statement_timestamp()) * 1000)::bigint"

// clock is the time by which leases run, as SQL text and the argument for its
// placeholder. On PostgreSQL it is the database's, so that an instance whose
// clock is wrong neither steals a lease nor keeps one; on SQLite all run on one
// machine.
func (s *Store) clock(placeholder string, callers time.Time) (text string, arg any) {
	if s.postgres && !s.callersClock {
		return "COALESCE(" + placeholder + "::bigint, " + dbNow + ")", nil
	}
	if s.postgres {
		return placeholder + "::bigint", millis(callers)
	}
	return placeholder, millis(callers)
}
