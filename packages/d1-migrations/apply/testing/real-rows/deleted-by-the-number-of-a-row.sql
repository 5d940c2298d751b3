-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE t (a INTEGER PRIMARY KEY, v TEXT);
-- rows
INSERT INTO t VALUES (5000, 'x'), (3, 'y');
-- change
DELETE FROM t WHERE _rowid_ = 5000;
