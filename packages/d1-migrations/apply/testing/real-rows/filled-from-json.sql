-- Harm: no
-- Lint: compared
-- Up: sends
-- before
CREATE TABLE ev (id INTEGER PRIMARY KEY, data TEXT NOT NULL, type TEXT);
-- rows
INSERT INTO ev VALUES (1,'{"type":"a"}',NULL),(2,'{"type":"b"}',NULL);
-- change
UPDATE ev SET type = json_extract(data, '$.type') WHERE type IS NULL;
