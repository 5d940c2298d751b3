-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE note (id TEXT PRIMARY KEY, text TEXT);
-- rows
INSERT INTO note VALUES ('a','x'),('b',hex(zeroblob(1000))),('c','z');
-- change
-- d1:loses note, at most 2 rows: the first note is a test
DELETE FROM note WHERE id = 'a'; UPDATE note SET text = substr(text,1,1000) WHERE length(text) > 1000;
