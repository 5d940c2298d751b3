-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE t (k TEXT, v TEXT);
-- rows
INSERT INTO t (rowid, k, v) VALUES (5000, 'a', 'x'), (7, 'b', 'y');
-- change
UPDATE t SET v = 'new' WHERE rowid = 5000;
