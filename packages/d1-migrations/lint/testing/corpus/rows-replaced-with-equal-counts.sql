-- The count stays, the rows are others
-- Seen: hand-written
-- On D1: loses
-- Lint: error lost-rows
-- before
CREATE TABLE setting (key TEXT PRIMARY KEY, value TEXT);
-- change
CREATE TABLE __new_setting (key TEXT PRIMARY KEY, value TEXT);
INSERT INTO __new_setting VALUES ('theme', 'dark');
DROP TABLE setting;
ALTER TABLE __new_setting RENAME TO setting;
