-- Harm: no
-- Lint: keeps
-- Up: sends
-- before
CREATE TABLE page (id INTEGER PRIMARY KEY, body TEXT); CREATE VIRTUAL TABLE ps USING fts5(body, content='page', content_rowid='id');
-- rows
INSERT INTO page VALUES (1,'x'),(5,'y'); INSERT INTO ps(ps) VALUES ('rebuild');
-- change
DROP TABLE ps;
