-- Harm: no
-- Lint: keeps
-- Up: sends
-- before
CREATE TABLE p (id INTEGER PRIMARY KEY, tags TEXT NOT NULL);
-- rows
INSERT INTO p VALUES (1,'["a","b"]'),(2,'["b"]');
-- change
CREATE TABLE ptag (p INTEGER, tag TEXT); INSERT INTO ptag SELECT p.id, j.value FROM p, json_each(p.tags) AS j;
