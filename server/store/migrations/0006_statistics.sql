-- What is left of sessions that retention has deleted: counts, of nobody in
-- particular.
CREATE TABLE statistics (
  day               BIGINT NOT NULL, -- of the start, counted from 1970 UTC
  scenario_id       TEXT NOT NULL,
  scenario_title    TEXT NOT NULL,
  scenario_industry TEXT NOT NULL,
  turn_count        INTEGER NOT NULL,
  sessions          BIGINT NOT NULL, -- that had so many turns
  completed         BIGINT NOT NULL,
  emails            BIGINT NOT NULL, -- sessions whose visitor left an address
  scored            BIGINT NOT NULL,
  score_sum         BIGINT NOT NULL,
  PRIMARY KEY (day, scenario_id, scenario_title, scenario_industry, turn_count)
);

-- Work that one process at a time may do.
CREATE TABLE leases (
  name   TEXT PRIMARY KEY,
  holder TEXT NOT NULL,
  until  BIGINT NOT NULL, -- by the database's clock
  fence  BIGINT NOT NULL  -- grows with each holder; every write of one checks it
);
