-- Harm: no
-- Lint: compared
-- Up: sends
-- before
CREATE VIRTUAL TABLE docs USING fts5(title, body);
-- rows
INSERT INTO docs VALUES ('a','hello'), ('b', 'world'); DELETE FROM docs WHERE title = 'a'; INSERT INTO docs VALUES ('c','again');
-- change
CREATE VIRTUAL TABLE n USING fts5(title, body, tokenize='porter'); INSERT INTO n(rowid, title, body) SELECT rowid, title, body FROM docs; DROP TABLE docs; ALTER TABLE n RENAME TO docs;
