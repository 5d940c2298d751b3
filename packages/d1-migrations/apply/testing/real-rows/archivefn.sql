-- Harm: no
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE log (id INTEGER PRIMARY KEY, at TEXT, m TEXT);
-- rows
INSERT INTO log VALUES (1,'2020-01-01','a'),(2,'2099-01-01','b');
-- change
-- d1:moves log to old: decided in the ticket
CREATE TABLE old (id INTEGER PRIMARY KEY, at TEXT, m TEXT); INSERT INTO old SELECT * FROM log WHERE date(at) < '2024-01-01'; DELETE FROM log WHERE date(at) < '2024-01-01';
