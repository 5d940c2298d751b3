-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, v TEXT, n INTEGER);
-- rows
INSERT INTO t VALUES (1,'Ann','x',5),(2,'Bob',NULL,6),(3,NULL,'z',7);
-- change
CREATE TABLE bak AS SELECT * FROM t; ALTER TABLE t DROP COLUMN name; ALTER TABLE t ADD COLUMN name TEXT DEFAULT '';
