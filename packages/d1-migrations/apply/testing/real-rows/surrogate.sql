-- Harm: no
-- Lint: compared
-- Up: sends
-- before
CREATE TABLE n (k TEXT PRIMARY KEY, v TEXT);
-- rows
INSERT INTO n VALUES ('x','1'),('y','2');
-- change
CREATE TABLE m (id INTEGER PRIMARY KEY AUTOINCREMENT, k TEXT UNIQUE, v TEXT); INSERT INTO m (k, v) SELECT k, v FROM n; DROP TABLE n; ALTER TABLE m RENAME TO n;
