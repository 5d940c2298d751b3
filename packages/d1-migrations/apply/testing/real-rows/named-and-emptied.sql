-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE t (id TEXT PRIMARY KEY, v TEXT);
-- rows
INSERT INTO t VALUES ('x',hex(zeroblob(600))),('y','1');
-- change
UPDATE t SET v = NULL WHERE id = 'x' AND length(v) > 1000;
