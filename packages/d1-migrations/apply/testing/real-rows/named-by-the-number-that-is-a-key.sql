-- Harm: no
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE t (a INTEGER PRIMARY KEY, v TEXT);
-- rows
INSERT INTO t VALUES (5000, 'x'), (3, 'y');
-- change
-- d1:changes t.v: decided in the ticket
UPDATE t SET v = 'new' WHERE rowid = 5000;
