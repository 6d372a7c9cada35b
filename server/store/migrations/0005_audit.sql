-- What happened and who did it. Rows are only added, except that retention cuts
-- the oldest off. Each row's hash is an HMAC, with a key that is not in the
-- database, over the row and the hash of the row before it.
CREATE TABLE audit_log (
  seq          BIGINT PRIMARY KEY, -- 1, 2, 3, …
  at           BIGINT NOT NULL,
  actor_kind   TEXT NOT NULL,
  actor_id     TEXT NOT NULL,
  action       TEXT NOT NULL,
  object       TEXT NOT NULL,
  result       TEXT NOT NULL,
  detail       BYTEA NOT NULL, -- sealed; the mark of its erasure, when it was erased
  detail_hash  BYTEA NOT NULL, -- SHA-256 of detail as it was written
  person_index BYTEA,          -- whom the detail is about; not hashed, it goes with the detail
  prev_hash    BYTEA,          -- null in the first
  hash         BYTEA NOT NULL
);
CREATE INDEX audit_action ON audit_log (action, seq);
CREATE INDEX audit_actor ON audit_log (actor_id, seq);
CREATE INDEX audit_at ON audit_log (at);
CREATE INDEX audit_person ON audit_log (person_index);

-- One row: where the log ends, and what it begins behind. Who appends updates it
-- first, so that one after the other appends, over all instances.
CREATE TABLE audit_head (
  id         INTEGER PRIMARY KEY,
  seq        BIGINT NOT NULL,
  hash       BYTEA,           -- null: there is no row yet
  cut_seq    BIGINT NOT NULL, -- the last row that retention cut off; 0: none
  cut_hash   BYTEA,
  cut_signed BYTEA            -- HMAC over cut_seq and cut_hash
);
INSERT INTO audit_head (id, seq, cut_seq) VALUES (1, 0, 0);
