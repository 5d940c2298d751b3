-- Harm: yes
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE n (id INTEGER PRIMARY KEY, a INTEGER REFERENCES a(id));
-- rows
INSERT INTO a VALUES (1),(2); INSERT INTO n VALUES (1,1),(2,2),(3,1);
-- change
-- d1:empties n.a, at most 2 rows: two tests refer to it
UPDATE n SET a = 2 WHERE a = 1;
