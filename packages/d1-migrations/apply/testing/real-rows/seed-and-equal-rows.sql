-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE log (msg TEXT, n INTEGER);
INSERT INTO log VALUES ('begin',1);
-- rows
INSERT INTO log VALUES ('begin',1),('begin',1),('more',2);
-- change
DELETE FROM log WHERE hex(msg) = '626567696E';
