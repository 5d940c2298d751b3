-- Harm: yes
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE u (id INTEGER PRIMARY KEY, x TEXT); CREATE TABLE p (id INTEGER PRIMARY KEY, u INTEGER REFERENCES u(id), t TEXT);
-- rows
INSERT INTO u VALUES (1,'a'),(2,'b'); INSERT INTO p VALUES (1,1,'k');
-- change
PRAGMA defer_foreign_keys = ON;
-- d1:loses u, at most 1 row: the first user is a test
DELETE FROM u WHERE id = 1; PRAGMA defer_foreign_keys = OFF;
