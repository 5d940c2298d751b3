-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE t (a INTEGER, b INTEGER, c INTEGER, v TEXT, PRIMARY KEY (a, b, c));
-- rows
INSERT INTO t VALUES (1, 2, 1, 'x'), (1, 2, 2, 'y');
-- change
UPDATE t SET v = 'new' WHERE (a, b) = (1, 2);
