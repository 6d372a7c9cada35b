-- Rate limits counted by all instances together (PostgreSQL only; one process
-- on SQLite counts in memory). A crash of the database may empty the table.
CREATE TABLE limits (
  id      BYTEA PRIMARY KEY, -- keyed hash of the budget and the caller
  arrival BIGINT NOT NULL    -- microseconds since 1970 by the database's clock: when an evenly spaced caller would come next
);
--postgres ALTER TABLE limits SET UNLOGGED;

-- What the language model was used for.
CREATE TABLE model_use (
  day    TEXT NOT NULL,   -- YYYY-MM-DD, UTC
  owner  BYTEA NOT NULL,  -- keyed hash of a run or a network; empty: all together
  calls  BIGINT NOT NULL,
  tokens BIGINT NOT NULL, -- of all together
  PRIMARY KEY (day, owner)
);
