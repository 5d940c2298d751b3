-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE a (id INTEGER PRIMARY KEY, x TEXT);
-- rows
INSERT INTO a VALUES (1, hex(zeroblob(600))), (2,'b');
-- change
ALTER TABLE a RENAME TO b; ALTER TABLE b RENAME COLUMN x TO y; UPDATE b SET y = substr(y, 1, 1000);
