-- Harm: no
-- Lint: compared
-- Up: sends
-- before
CREATE TABLE r (k TEXT PRIMARY KEY, v TEXT);
-- rows
INSERT INTO r VALUES ('a','1'),('beta','x');
-- change
CREATE TABLE s2 (key TEXT PRIMARY KEY, value TEXT, at INTEGER); INSERT INTO s2 (key, value) SELECT k, v FROM r; DROP TABLE r; ALTER TABLE s2 RENAME TO r;
