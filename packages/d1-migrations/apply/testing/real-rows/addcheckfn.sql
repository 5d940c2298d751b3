-- Harm: no
-- Lint: compared
-- Up: sends
-- before
CREATE TABLE log (id INTEGER PRIMARY KEY, at TEXT, m TEXT);
-- rows
INSERT INTO log VALUES (1,'2020-01-01T00:00:00Z','a');
-- change
CREATE TABLE n (id INTEGER PRIMARY KEY, at TEXT CHECK (strftime('%s', at) IS NOT NULL AND at GLOB '????-??-??T??:??:??Z'), m TEXT); INSERT INTO n SELECT * FROM log; DROP TABLE log; ALTER TABLE n RENAME TO log;
