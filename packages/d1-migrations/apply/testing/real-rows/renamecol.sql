-- Harm: no
-- Lint: compared
-- Up: sends
-- before
CREATE TABLE u (id INTEGER PRIMARY KEY, name TEXT);
-- rows
INSERT INTO u VALUES (1,'a'),(2,'b');
-- change
CREATE TABLE m (id INTEGER PRIMARY KEY, full_name TEXT); INSERT INTO m (id, full_name) SELECT id, name FROM u; DROP TABLE u; ALTER TABLE m RENAME TO u;
