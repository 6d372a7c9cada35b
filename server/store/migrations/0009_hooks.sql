-- Addresses of other systems that are told what happens.
CREATE TABLE hooks (
  id         TEXT PRIMARY KEY,
  target     BYTEA NOT NULL,   -- address and secret
  events     TEXT NOT NULL,    -- names with a space before and after each
  personal   BOOLEAN NOT NULL, -- tell personal data, too
  enabled    BOOLEAN NOT NULL,
  created_at BIGINT NOT NULL
);

-- What they are told: written with what it tells of, and kept as a log until
-- its subject goes.
CREATE TABLE deliveries (
  id           TEXT PRIMARY KEY,
  hook_id      TEXT NOT NULL, -- no reference: the record store has no row in hooks
  event        TEXT NOT NULL,
  subject      TEXT NOT NULL, -- id of the session or contact message; empty for a test
  payload      BYTEA NOT NULL,
  state        TEXT NOT NULL, -- queued, delivered, failed
  attempts     INTEGER NOT NULL, -- since it was queued or sent again
  due_at       BIGINT NOT NULL,
  lease_until  BIGINT NOT NULL,
  fence        BIGINT NOT NULL,
  tried_at     BIGINT,
  took         BIGINT NOT NULL,  -- ms of the last attempt
  status       INTEGER NOT NULL, -- of the last answer; 0: none came
  last_error   TEXT NOT NULL,
  created_at   BIGINT NOT NULL
);
CREATE INDEX deliveries_due ON deliveries (state, due_at);
CREATE INDEX deliveries_hook ON deliveries (hook_id, lease_until);
CREATE INDEX deliveries_subject ON deliveries (subject);
CREATE INDEX deliveries_created ON deliveries (created_at, id);
