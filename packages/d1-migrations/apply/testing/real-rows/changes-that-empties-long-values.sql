-- Harm: yes
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT);
-- rows
INSERT INTO t VALUES (1,'x'),(2,hex(zeroblob(600))),(3,'y');
-- change
-- d1:changes t.text: a mark for each
UPDATE t SET text = iif(length(text) > 1000, NULL, text || '.');
