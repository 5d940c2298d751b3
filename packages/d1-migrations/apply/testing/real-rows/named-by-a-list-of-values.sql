-- Harm: no
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE t (a INTEGER PRIMARY KEY, v TEXT);
-- rows
INSERT INTO t VALUES (1, 'x'), (3, 'y');
-- change
-- d1:loses t.v: decided in the ticket
UPDATE t SET v = 'new' WHERE a IN (VALUES (1), (3));
