-- INSERT OR IGNORE where no constraint is new
-- Seen: hand-written
-- On D1: keeps
-- Lint: error lost-rows
-- before
CREATE TABLE haiku (day TEXT PRIMARY KEY NOT NULL, text TEXT);
-- change
CREATE TABLE IF NOT EXISTS __new_haiku (day TEXT PRIMARY KEY NOT NULL, text TEXT NOT NULL);
INSERT OR IGNORE INTO __new_haiku (day, text) SELECT day, coalesce(text, '') FROM haiku;
DROP TABLE haiku;
ALTER TABLE __new_haiku RENAME TO haiku;
