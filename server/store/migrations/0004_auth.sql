-- Sign-ins. Refresh tokens are not stored: each is derived from the session's
-- id and counter with a key of the keyring.
CREATE TABLE auth_sessions (
  id         TEXT PRIMARY KEY,
  user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at BIGINT NOT NULL,
  used_at    BIGINT NOT NULL, -- the last refresh
  counter    BIGINT NOT NULL, -- of the refresh token that counts now
  rotated_at BIGINT NOT NULL
);
CREATE INDEX auth_sessions_user ON auth_sessions (user_id);
