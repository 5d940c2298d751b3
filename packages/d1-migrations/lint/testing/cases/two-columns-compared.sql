-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE part (id TEXT PRIMARY KEY NOT NULL, a TEXT NOT NULL, b TEXT);
-- rows
INSERT INTO part VALUES ('p1', '', NULL), ('p2', 'x', 'y');
-- change
DELETE FROM part WHERE a = 'draft' AND b = 'closed';
