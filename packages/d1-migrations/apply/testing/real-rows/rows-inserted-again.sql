-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE log (msg TEXT, n INTEGER);
-- rows
INSERT INTO log VALUES ('a', 1), ('b', 2);
-- change
INSERT INTO log SELECT * FROM log;
