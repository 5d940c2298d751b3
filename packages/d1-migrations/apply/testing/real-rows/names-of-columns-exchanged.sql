-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE a (id INTEGER PRIMARY KEY, v TEXT, w TEXT);
-- rows
INSERT INTO a VALUES (1, 'a1', 'b1'), (2, 'a2', NULL);
-- change
ALTER TABLE a RENAME COLUMN v TO x; ALTER TABLE a RENAME COLUMN w TO v; ALTER TABLE a RENAME COLUMN x TO w;
