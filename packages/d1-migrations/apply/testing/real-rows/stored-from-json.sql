-- Harm: no
-- Lint: compared
-- Up: sends
-- before
CREATE TABLE ev (id INTEGER PRIMARY KEY, data TEXT NOT NULL);
-- rows
INSERT INTO ev VALUES (1,'{"type":"a"}'),(2,'{"type":"b"}');
-- change
CREATE TABLE n (id INTEGER PRIMARY KEY, data TEXT NOT NULL, type TEXT AS (data ->> '$.type') STORED); INSERT INTO n (id, data) SELECT id, data FROM ev; DROP TABLE ev; ALTER TABLE n RENAME TO ev;
