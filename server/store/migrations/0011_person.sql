-- What a kept answer is about (a session, a contact message), so that it goes
-- when that is erased.
ALTER TABLE idempotency ADD COLUMN subject TEXT NOT NULL DEFAULT '';
CREATE INDEX idempotency_subject ON idempotency (subject);
