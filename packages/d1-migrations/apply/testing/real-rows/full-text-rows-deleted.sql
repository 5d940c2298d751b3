-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE VIRTUAL TABLE docs USING fts5(title, body);
-- rows
INSERT INTO docs VALUES ('a','hello'), ('b','world');
-- change
DELETE FROM docs WHERE title = 'a';
