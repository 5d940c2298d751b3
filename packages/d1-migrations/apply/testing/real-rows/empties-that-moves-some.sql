-- Harm: yes
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE n (id INTEGER PRIMARY KEY, a INTEGER REFERENCES a(id), t TEXT);
-- rows
INSERT INTO a VALUES (1),(2); INSERT INTO n VALUES (1,1,'x'),(2,1,hex(zeroblob(600)));
-- change
-- d1:empties n.a, all rows: nothing refers to it any more
UPDATE n SET a = iif(length(t) > 1000, 2, NULL);
