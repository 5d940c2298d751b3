-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE t (id TEXT PRIMARY KEY, v TEXT);
-- rows
INSERT INTO t VALUES ('x',hex(zeroblob(600))),('y','1');
-- change
UPDATE t SET v = 'new' WHERE id = 'x' AND v = 'old'; UPDATE t SET v = substr(v, 1, 1000) WHERE length(v) > 1000;
