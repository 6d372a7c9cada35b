-- One text for SQLite and PostgreSQL: ids are text made in Go, times are
-- integer milliseconds since 1970 UTC, BYTEA columns hold sealed values
-- (package keyring) unless their name ends in _index.

CREATE TABLE settings (
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL
);

CREATE TABLE users (
  id              TEXT PRIMARY KEY,
  email           BYTEA NOT NULL,
  email_index     BYTEA NOT NULL UNIQUE,
  password_hash   TEXT NOT NULL,
  created_at      BIGINT NOT NULL,
  updated_at      BIGINT NOT NULL,
  last_sign_in_at BIGINT
);

CREATE TABLE roles (
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  role    TEXT NOT NULL,
  PRIMARY KEY (user_id, role)
);

-- What a scenario looked like when a session started; never changed, so that
-- an edit does not reach a running session.
CREATE TABLE scenario_versions (
  id   TEXT PRIMARY KEY, -- SHA-256 of body
  body TEXT NOT NULL     -- sim.Scenario as JSON
);

CREATE TABLE scenarios (
  id                TEXT PRIMARY KEY,
  version           TEXT NOT NULL REFERENCES scenario_versions (id),
  title             TEXT NOT NULL,
  slug              TEXT NOT NULL UNIQUE,
  industry          TEXT NOT NULL,
  short_description TEXT NOT NULL,
  system_prompt     TEXT NOT NULL,
  rubric            TEXT NOT NULL,
  max_turns         INTEGER NOT NULL,
  is_public         BOOLEAN NOT NULL,
  thumbnail_url     TEXT,
  created_at        BIGINT NOT NULL,
  updated_at        BIGINT NOT NULL
);

CREATE TABLE sessions (
  id                TEXT PRIMARY KEY,
  scenario_id       TEXT NOT NULL, -- no reference: sessions outlive their scenario
  scenario_version  TEXT NOT NULL REFERENCES scenario_versions (id),
  scenario_title    TEXT NOT NULL,
  scenario_industry TEXT NOT NULL,
  seed              BIGINT NOT NULL,
  max_turns         INTEGER NOT NULL,
  turn_count        INTEGER NOT NULL,
  ended             BOOLEAN NOT NULL, -- the scenario came to its own end
  started_at        BIGINT NOT NULL,
  last_turn_at      BIGINT NOT NULL,
  completed_at      BIGINT,
  score_overall     INTEGER,
  score_dimensions  TEXT,
  report            BYTEA,
  visitor           BYTEA NOT NULL, -- address, user agent, browser, location
  user_email        BYTEA,
  user_email_index  BYTEA,
  recipient_fixed   BOOLEAN NOT NULL,
  mail_count        INTEGER NOT NULL,
  email_sent_at     BIGINT,
  fence             BIGINT NOT NULL, -- grows with each lease; a commit names the one it holds
  lease_until       BIGINT NOT NULL,
  lease_key         TEXT NOT NULL
);
CREATE INDEX sessions_started ON sessions (started_at, id);
CREATE INDEX sessions_email ON sessions (user_email_index);

CREATE TABLE messages (
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  seq        INTEGER NOT NULL, -- 0 is the opening; the learner's are odd
  role       TEXT NOT NULL,
  content    BYTEA NOT NULL,
  engine     TEXT NOT NULL, -- empty for a learner's message
  demeanour  TEXT NOT NULL, -- sim.Demeanour as JSON; empty for a learner's message
  created_at BIGINT NOT NULL,
  PRIMARY KEY (session_id, seq)
);

CREATE TABLE idempotency (
  id           TEXT PRIMARY KEY, -- SHA-256 of call, session and key
  request_hash BYTEA NOT NULL,
  response     BYTEA NOT NULL,
  created_at   BIGINT NOT NULL
);
CREATE INDEX idempotency_created ON idempotency (created_at);

CREATE TABLE outbox (
  id              TEXT PRIMARY KEY,
  kind            TEXT NOT NULL,
  session_id      TEXT NOT NULL, -- empty when the letter is of no session
  recipient_index BYTEA NOT NULL,
  letter          BYTEA NOT NULL,
  state           TEXT NOT NULL, -- queued, sent, failed
  attempts        INTEGER NOT NULL,
  due_at          BIGINT NOT NULL,
  lease_until     BIGINT NOT NULL,
  fence           BIGINT NOT NULL,
  last_error      TEXT NOT NULL,
  created_at      BIGINT NOT NULL,
  sent_at         BIGINT
);
CREATE INDEX outbox_session ON outbox (session_id);
CREATE INDEX outbox_due ON outbox (state, due_at);
CREATE INDEX outbox_recipient ON outbox (recipient_index, created_at);
