-- Harm: no
-- Lint: compared
-- Up: sends
-- before
CREATE VIRTUAL TABLE n USING fts5(title, body, tag UNINDEXED);
-- rows
INSERT INTO n(rowid,title,body,tag) VALUES (3,'a','b','t'),(9,'c','d',NULL);
-- change
CREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT, body TEXT, tag TEXT); INSERT INTO note SELECT rowid, title, body, tag FROM n; DROP TABLE n; CREATE VIRTUAL TABLE n USING fts5(title, body, content='note', content_rowid='id'); INSERT INTO n(n) VALUES ('rebuild');
