-- Minutes in which at least one instance could serve: bit n is minute n of the
-- hour. A row an hour, for the longest time that is shown.
CREATE TABLE uptime (
  hour    BIGINT PRIMARY KEY, -- hours since 1970 UTC
  minutes BIGINT NOT NULL
);

-- Server processes, each with its last sign of life.
CREATE TABLE instances (
  id         TEXT PRIMARY KEY,
  host       TEXT NOT NULL,
  version    TEXT NOT NULL,
  started_at BIGINT NOT NULL,
  seen_at    BIGINT NOT NULL
);
