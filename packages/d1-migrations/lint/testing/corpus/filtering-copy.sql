-- The copy leaves out rows that the new form does not take
-- Seen: hand-written
-- On D1: loses
-- Lint: error lost-rows; warning fails-on-rows
-- before
CREATE TABLE note (id TEXT PRIMARY KEY, text TEXT);
-- change
CREATE TABLE __new_note (id TEXT PRIMARY KEY, text TEXT NOT NULL);
INSERT INTO __new_note SELECT id, text FROM note WHERE text IS NOT NULL AND length(text) > 20;
DROP TABLE note;
ALTER TABLE __new_note RENAME TO note;
