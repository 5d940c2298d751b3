-- Harm: no
-- Lint: compared
-- Up: sends
-- before
CREATE TABLE topic (id TEXT PRIMARY KEY);
CREATE TABLE log (at INTEGER, text TEXT, topic_id TEXT REFERENCES topic (id));
-- rows
INSERT INTO log (at, text) VALUES (1, 'one'), (7, 'seven');
-- change
INSERT INTO log (at, text) VALUES (7, 'seven');
DELETE FROM log WHERE at = 7 AND 0;
