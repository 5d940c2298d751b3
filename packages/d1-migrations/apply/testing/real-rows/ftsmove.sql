-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE VIRTUAL TABLE docs USING fts5(title, body);
-- rows
INSERT INTO docs VALUES ('a','hello'), ('b', 'world');
-- change
CREATE VIRTUAL TABLE n USING fts5(title, body, tokenize='porter'); INSERT INTO n(title, body) SELECT title, substr(body,1,3) FROM docs; DROP TABLE docs; ALTER TABLE n RENAME TO docs;
