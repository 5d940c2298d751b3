-- Harm: yes
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE log (msg TEXT, n INTEGER);
-- rows
INSERT INTO log VALUES ('a', 1), ('b', 2);
-- change
-- d1:repeats log, at most 1 row: each message was sent twice
INSERT INTO log SELECT * FROM log;
