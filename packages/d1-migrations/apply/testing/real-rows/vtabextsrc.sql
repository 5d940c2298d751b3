-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE page (id INTEGER PRIMARY KEY, body TEXT); CREATE VIRTUAL TABLE ps USING fts5(body, content='page', content_rowid='id');
-- rows
INSERT INTO page VALUES (1,'x'),(5,'y');
-- change
DROP TABLE ps; DELETE FROM page WHERE id = 5;
