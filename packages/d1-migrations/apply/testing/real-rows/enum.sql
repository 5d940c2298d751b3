-- Harm: no
-- Lint: compared
-- Up: sends
-- before
CREATE TABLE n (id INTEGER PRIMARY KEY, s TEXT CHECK (s IN ('a','b')));
-- rows
INSERT INTO n VALUES (1,'a'),(2,'b');
-- change
CREATE TABLE m (id INTEGER PRIMARY KEY, s TEXT CHECK (s IN ('a','b','c'))); INSERT INTO m SELECT * FROM n; DROP TABLE n; ALTER TABLE m RENAME TO n;
