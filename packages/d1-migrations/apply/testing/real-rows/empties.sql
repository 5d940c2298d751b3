-- Harm: yes
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE n (id INTEGER PRIMARY KEY, a INTEGER REFERENCES a(id));
-- rows
INSERT INTO a VALUES (1),(2); INSERT INTO n VALUES (1,1),(2,2),(3,1);
-- change
-- d1:empties n.a, at most 1 row: the second is a test
UPDATE n SET a = NULL WHERE a = 1;
