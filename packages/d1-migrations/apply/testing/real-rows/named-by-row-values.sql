-- Harm: no
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE t (a INTEGER, b INTEGER, v TEXT, PRIMARY KEY (a, b));
-- rows
INSERT INTO t VALUES (1, 2, 'x'), (3, 4, 'y');
-- change
-- d1:loses t.v: decided in the ticket
UPDATE t SET v = 'new' WHERE (a, b) IN (VALUES (1, 2), (3, 4));
