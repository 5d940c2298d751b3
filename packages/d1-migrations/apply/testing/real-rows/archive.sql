-- Harm: no
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE a (id INTEGER PRIMARY KEY, kind TEXT, x TEXT);
-- rows
INSERT INTO a VALUES (1,'new','x'),(2,'old','y'),(3,'new','z');
-- change
-- d1:moves a to arch: decided in the ticket
CREATE TABLE arch (id INTEGER PRIMARY KEY, kind TEXT, x TEXT, at TEXT); INSERT INTO arch SELECT *, date() FROM a WHERE kind = 'old'; DELETE FROM a WHERE kind = 'old';
