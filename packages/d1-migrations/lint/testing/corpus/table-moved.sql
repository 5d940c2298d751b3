-- A table is copied under another name and dropped
-- Seen: hand-written
-- On D1: keeps
-- Lint: nothing
-- before
CREATE TABLE notes (id TEXT PRIMARY KEY, text TEXT);
-- change
CREATE TABLE note (id TEXT PRIMARY KEY, text TEXT);
INSERT INTO note SELECT id, text FROM notes;
DROP TABLE notes;
