-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE log (at TEXT, msg TEXT, n INTEGER);
-- rows
INSERT INTO log VALUES ('2023-01-01','{"user":"ann@x.de"}',1),('2024-05-05','token=abc end',2),(NULL,NULL,NULL);
-- change
CREATE TABLE log_archive AS SELECT * FROM log; DELETE FROM log WHERE at < '2024-01-01'; CREATE TABLE log2 (at TEXT, msg TEXT, n INTEGER); INSERT INTO log2 SELECT at, substr(msg, 1, 7), n FROM log; DROP TABLE log; ALTER TABLE log2 RENAME TO log;
