-- Harm: yes
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE a (id INTEGER PRIMARY KEY, b INTEGER REFERENCES b(id) ON DELETE CASCADE); CREATE TABLE b (id INTEGER PRIMARY KEY, a INTEGER REFERENCES a(id) ON DELETE CASCADE);
-- rows
PRAGMA defer_foreign_keys = ON; INSERT INTO a VALUES (1,NULL),(2,1),(3,NULL); INSERT INTO b VALUES (1,1);
-- change
-- d1:loses a, at most 1 row: the first one is a test
-- d1:loses b, at most 1 row: it belongs to the first
DELETE FROM a WHERE id = 1;
