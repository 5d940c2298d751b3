-- Harm: no
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE p (id INTEGER PRIMARY KEY, v TEXT);
-- rows
INSERT INTO p VALUES (1,'x');
-- change
ALTER TABLE p RENAME TO q; ALTER TABLE q RENAME COLUMN v TO w; ALTER TABLE q RENAME TO p2; UPDATE p2 SET w = trim(w);
