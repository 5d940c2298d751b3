-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE VIRTUAL TABLE docs USING fts5(title, body);
-- rows
INSERT INTO docs VALUES ('a','hello'), ('b', hex(zeroblob(2000)));
-- change
CREATE TABLE d (id INTEGER PRIMARY KEY, title TEXT, body TEXT); INSERT INTO d SELECT rowid, title, body FROM docs WHERE length(body) < 1000; DROP TABLE docs;
