-- Harm: no
-- Lint: compared
-- Up: sends
-- before
CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, v TEXT, n INTEGER);
-- rows
INSERT INTO t VALUES (1,'Ann','x',5),(2,'Bob',NULL,6),(3,NULL,'z',7);
-- change
ALTER TABLE t RENAME COLUMN name TO name_old; ALTER TABLE t ADD COLUMN name TEXT NOT NULL DEFAULT ''; UPDATE t SET name = coalesce(name_old, ''); ALTER TABLE t DROP COLUMN name_old;
