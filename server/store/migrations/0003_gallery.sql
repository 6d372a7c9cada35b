-- Pictures and films of the public galleries. The bytes lie in the media store.
CREATE TABLE gallery_media (
  id            TEXT PRIMARY KEY,
  file_name     TEXT NOT NULL,
  file_path     TEXT NOT NULL,
  file_type     TEXT NOT NULL, -- video or image
  industry      TEXT NOT NULL,
  caption       TEXT,
  display_order INTEGER NOT NULL, -- ties are allowed: two rows are swapped one after the other
  created_at    BIGINT NOT NULL
);
CREATE INDEX gallery_order ON gallery_media (industry, display_order, id);
