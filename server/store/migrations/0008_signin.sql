-- How somebody signed in, with which second factor, and from where.
ALTER TABLE auth_sessions ADD COLUMN method TEXT NOT NULL DEFAULT 'password'; -- or oauth
ALTER TABLE auth_sessions ADD COLUMN second_method TEXT NOT NULL DEFAULT '';  -- totp or recovery
ALTER TABLE auth_sessions ADD COLUMN second_at BIGINT NOT NULL DEFAULT 0;     -- 0: not given
ALTER TABLE auth_sessions ADD COLUMN device BYTEA;

-- Second factors: one for each user.
CREATE TABLE factors (
  id          TEXT PRIMARY KEY,
  user_id     TEXT NOT NULL UNIQUE REFERENCES users (id) ON DELETE CASCADE,
  name        TEXT NOT NULL,
  secret      BYTEA NOT NULL,
  last_step   BIGINT NOT NULL, -- of the last code taken: no code counts twice
  created_at  BIGINT NOT NULL,
  verified_at BIGINT NOT NULL  -- 0: not yet in use
);

-- Unused ones only.
CREATE TABLE recovery_codes (
  user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  code_index BYTEA NOT NULL,
  PRIMARY KEY (user_id, code_index)
);

-- Wrong passwords and codes in a row, by account and device.
CREATE TABLE throttles (
  account_index BYTEA PRIMARY KEY,
  failures      INTEGER NOT NULL,
  free_at       BIGINT NOT NULL,
  updated_at    BIGINT NOT NULL
);

-- Who somebody is at the identity provider.
CREATE TABLE identities (
  subject_index BYTEA PRIMARY KEY, -- of issuer and subject
  user_id       TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at    BIGINT NOT NULL
);

-- What a browser brings back from the identity provider, once.
CREATE TABLE sign_in_codes (
  code_index BYTEA PRIMARY KEY,
  user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  challenge  TEXT NOT NULL, -- whose answer only that browser knows
  created_at BIGINT NOT NULL
);
