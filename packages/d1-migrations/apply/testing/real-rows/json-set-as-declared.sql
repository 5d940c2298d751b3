-- Harm: no
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE ev (id INTEGER PRIMARY KEY, data TEXT NOT NULL);
-- rows
INSERT INTO ev VALUES (1,'{"type":"a"}'),(2,'{"type":"b"}');
-- change
-- d1:changes ev.data: a version is part of it from now on
UPDATE ev SET data = json_set(data, '$.v', 2);
