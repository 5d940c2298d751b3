-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE t (a TEXT, b TEXT, v TEXT, PRIMARY KEY (a, b));
-- rows
INSERT INTO t VALUES ('x','2',hex(zeroblob(600)));
-- change
UPDATE t SET v = 'new' WHERE a = 'x' AND length(v) > 1000;
