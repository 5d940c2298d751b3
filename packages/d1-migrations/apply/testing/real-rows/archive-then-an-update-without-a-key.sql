-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE log (at TEXT, msg TEXT, n INTEGER);
-- rows
INSERT INTO log VALUES ('2023-01-01','{"user":"ann@x.de"}',1),('2024-05-05','token=abc end',2),(NULL,NULL,NULL);
-- change
CREATE TABLE log_archive AS SELECT * FROM log; DELETE FROM log WHERE at < '2024-01-01'; UPDATE log SET msg = CASE WHEN msg LIKE '%token=%' THEN 'redacted' ELSE msg END;
