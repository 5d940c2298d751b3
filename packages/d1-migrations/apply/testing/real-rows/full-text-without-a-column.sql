-- Harm: yes
-- Lint: loses
-- Up: refuses
-- before
CREATE VIRTUAL TABLE docs USING fts5(title, body);
-- rows
INSERT INTO docs VALUES ('a','hello'), ('b','world');
-- change
CREATE VIRTUAL TABLE n USING fts5(title); INSERT INTO n SELECT title FROM docs; DROP TABLE docs; ALTER TABLE n RENAME TO docs;
