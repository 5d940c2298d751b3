-- Harm: no
-- Lint: tried
-- Up: sends
-- before
CREATE TABLE t (a INTEGER PRIMARY KEY, v TEXT);
-- rows
INSERT INTO t VALUES (1, 'x'), (3, 'y');
-- change
UPDATE t SET v = 'new' WHERE a IN (VALUES (1), (3));
