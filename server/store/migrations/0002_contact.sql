-- What visitors wrote through the contact form. Its letter to the company is
-- the outbox row of the same id.
CREATE TABLE contact_messages (
  id          TEXT PRIMARY KEY,
  received_at BIGINT NOT NULL,
  reason      TEXT NOT NULL,
  email_index BYTEA NOT NULL,
  body        BYTEA NOT NULL,   -- name, email, organization, message
  suspicious  BOOLEAN NOT NULL, -- written by a machine, as it seems; it was not mailed
  answered_at BIGINT
);
CREATE INDEX contact_received ON contact_messages (received_at, id);
CREATE INDEX contact_email ON contact_messages (email_index);
