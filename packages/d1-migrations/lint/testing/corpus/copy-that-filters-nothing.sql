-- Every row meets the condition
-- Seen: hand-written
-- On D1: keeps
-- Lint: error lost-rows
-- before
CREATE TABLE note (id TEXT PRIMARY KEY NOT NULL, text TEXT);
-- change
CREATE TABLE __new_note (id TEXT PRIMARY KEY, text TEXT);
INSERT INTO __new_note SELECT id, text FROM note WHERE id IS NOT NULL AND 1;
DROP TABLE note;
ALTER TABLE __new_note RENAME TO note;
