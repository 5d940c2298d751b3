-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE c (id INTEGER PRIMARY KEY, p INTEGER DEFAULT 1 REFERENCES p(id) ON DELETE SET DEFAULT);
-- rows
INSERT INTO p VALUES (1),(2); INSERT INTO c VALUES (1,2);
-- change
-- d1:loses p, at most 1 row: the second goes
DELETE FROM p WHERE id = 2;
