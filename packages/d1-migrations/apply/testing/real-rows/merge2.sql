-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE tag (name TEXT PRIMARY KEY, n INTEGER);
-- rows
INSERT INTO tag VALUES (' A', 1), ('a', 2);
-- change
CREATE TABLE t2 (name TEXT PRIMARY KEY, n INTEGER); INSERT OR REPLACE INTO t2 SELECT lower(trim(name)), n FROM tag; DROP TABLE tag; ALTER TABLE t2 RENAME TO tag;
