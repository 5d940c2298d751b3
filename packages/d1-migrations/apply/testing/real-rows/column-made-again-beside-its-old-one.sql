-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, v TEXT, n INTEGER);
-- rows
INSERT INTO t VALUES (1,'Ann','x',5),(2,'Bob',NULL,6),(3,NULL,'z',7);
-- change
ALTER TABLE t RENAME COLUMN n TO n_old; ALTER TABLE t ADD COLUMN n TEXT; UPDATE t SET n = 'x';
