-- Rows are copied and deleted under the same condition
-- Seen: hand-written
-- On D1: keeps
-- Lint: error lost-rows
-- before
CREATE TABLE entry (id INTEGER PRIMARY KEY, kind TEXT);
CREATE TABLE old_entry (id INTEGER PRIMARY KEY, kind TEXT);
-- change
INSERT INTO old_entry SELECT * FROM entry WHERE kind = 'old';
DELETE FROM entry WHERE kind = 'old';
