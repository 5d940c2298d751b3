-- Harm: no
-- Lint: compared
-- Up: sends
-- before
CREATE TABLE s (id INTEGER PRIMARY KEY, score INTEGER);
-- rows
INSERT INTO s VALUES (1, 50);
-- change
CREATE TABLE m (id INTEGER PRIMARY KEY, score INTEGER CHECK (score * score + 7 * score - 3 = 2847)); INSERT INTO m SELECT * FROM s; DROP TABLE s; ALTER TABLE m RENAME TO s;
