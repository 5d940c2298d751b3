-- Harm: no
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE log (msg TEXT, n INTEGER);
-- rows
INSERT INTO log VALUES (' b ', 1), ('a ', 2), ('a ', 2), (NULL, 3), ('c', NULL);
-- change
-- d1:changes log.msg: decided in the ticket
CREATE TABLE l2 (msg TEXT, n INTEGER); INSERT INTO l2 SELECT trim(msg), n FROM log ORDER BY msg; DROP TABLE log; ALTER TABLE l2 RENAME TO log;
