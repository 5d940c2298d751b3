-- Harm: no
-- Lint: not judged
-- Up: sends
-- before
CREATE TABLE s (id INTEGER PRIMARY KEY, score INTEGER NOT NULL); CREATE TABLE u (id INTEGER PRIMARY KEY, a TEXT);
-- rows
INSERT INTO s VALUES (1, 7503); INSERT INTO u VALUES (1,'x');
-- change
CREATE TABLE m (id INTEGER PRIMARY KEY, score INTEGER CHECK ((score * 7919 + 13) % 10007 = 4711)); INSERT INTO m SELECT id, score FROM s; DROP TABLE s; ALTER TABLE m RENAME TO s;
UPDATE u SET a = trim(a);
