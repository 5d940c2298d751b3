-- Harm: no
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE j (id INTEGER PRIMARY KEY, p TEXT, e TEXT);
-- rows
INSERT INTO j VALUES (1,'a',NULL),(2,'b','x');
-- change
CREATE TABLE j_ok (id INTEGER PRIMARY KEY, p TEXT); CREATE TABLE j_err (id INTEGER PRIMARY KEY, p TEXT, e TEXT NOT NULL); INSERT INTO j_ok SELECT id, p FROM j WHERE e IS NULL; INSERT INTO j_err SELECT id, p, e FROM j WHERE e IS NOT NULL; DROP TABLE j;
