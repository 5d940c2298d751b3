-- Harm: no
-- Lint: tried
-- Up: sends
-- before
CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT);
-- rows
INSERT INTO t VALUES (1,' Ab ');
-- change
UPDATE t SET text = lower(text);
