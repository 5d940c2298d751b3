-- Harm: no
-- Lint: keeps
-- Up: sends
-- before
CREATE TABLE p (id INTEGER PRIMARY KEY, v TEXT); CREATE TABLE c (id INTEGER PRIMARY KEY, p INTEGER REFERENCES p(id));
-- rows
INSERT INTO p VALUES (1,'x'); INSERT INTO c VALUES (1,1);
-- change
PRAGMA defer_foreign_keys = ON; INSERT INTO c VALUES (2,2); INSERT INTO p VALUES (2,'y');
