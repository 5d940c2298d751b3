-- Harm: no
-- Lint: keeps
-- Up: sends
-- before
CREATE TABLE ev (id INTEGER PRIMARY KEY, data TEXT NOT NULL);
-- rows
INSERT INTO ev VALUES (1,'{"type":"a"}'),(2,'{"type":"b"}');
-- change
CREATE INDEX ev_type ON ev (json_extract(data, '$.type'));
