-- Harm: no
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE m (id INTEGER PRIMARY KEY, n INTEGER);
-- rows
INSERT INTO m VALUES (1,5),(2,7);
-- change
-- d1:changes m.id: numbers become texts for the new ids
CREATE TABLE m2 (id TEXT PRIMARY KEY, n INTEGER); INSERT INTO m2 SELECT CAST(id AS TEXT), n FROM m; DROP TABLE m; ALTER TABLE m2 RENAME TO m;
