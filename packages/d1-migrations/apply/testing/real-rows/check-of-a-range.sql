-- Harm: no
-- Lint: compared
-- Up: sends
-- before
CREATE TABLE s (id INTEGER PRIMARY KEY, score INTEGER);
-- rows
INSERT INTO s VALUES (1,5),(2,99);
-- change
CREATE TABLE m (id INTEGER PRIMARY KEY, score INTEGER CHECK (score BETWEEN 0 AND 100)); INSERT INTO m SELECT * FROM s; DROP TABLE s; ALTER TABLE m RENAME TO s;
