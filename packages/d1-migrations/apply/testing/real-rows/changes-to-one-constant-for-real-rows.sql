-- Harm: yes
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT);
-- rows
INSERT INTO t VALUES (1,hex(zeroblob(601))),(2,hex(zeroblob(600)));
-- change
-- d1:changes t.text: a mark for each
UPDATE t SET text = iif(length(text) > 1000, 'long', text || '.');
