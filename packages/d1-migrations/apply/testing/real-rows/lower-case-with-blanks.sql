-- Harm: no
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT);
-- rows
INSERT INTO t VALUES (1,' Ab ');
-- change
-- d1:changes t.text: decided in the ticket
UPDATE t SET text = lower(text);
