-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE b (id INTEGER PRIMARY KEY, a INTEGER REFERENCES a(id) ON DELETE CASCADE); CREATE TABLE c (id INTEGER PRIMARY KEY, b INTEGER REFERENCES b(id) ON DELETE SET NULL);
-- rows
INSERT INTO a VALUES (1),(2); INSERT INTO b VALUES (1,1),(2,2); INSERT INTO c VALUES (1,1),(2,2);
-- change
-- d1:loses a, at most 1 row: the first is a test
DELETE FROM a WHERE id = 1;
