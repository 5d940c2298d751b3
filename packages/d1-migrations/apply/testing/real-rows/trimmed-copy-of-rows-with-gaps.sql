-- Harm: no
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE log (msg TEXT, n INTEGER);
-- rows
INSERT INTO log (rowid, msg, n) VALUES (3,' b ',1),(9,'a',1),(44,' c',2),(45,NULL,2);
-- change
-- d1:changes log.msg: decided in the ticket
CREATE TABLE l2 (msg TEXT, n INTEGER, x TEXT);
INSERT INTO l2 (msg, n) SELECT trim(msg), n FROM log;
DROP TABLE log;
ALTER TABLE l2 RENAME TO log;
