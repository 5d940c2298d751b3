-- Harm: no
-- Lint: keeps
-- Up: sends
-- before
CREATE TABLE a (id INTEGER PRIMARY KEY, x TEXT);
-- rows
INSERT INTO a VALUES (1,'x'),(2,'y');
-- change
CREATE UNIQUE INDEX a_x ON a (x);
