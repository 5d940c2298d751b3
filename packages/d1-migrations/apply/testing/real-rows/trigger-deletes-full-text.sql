-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE VIRTUAL TABLE docs USING fts5(title, body); CREATE TABLE a(id INTEGER PRIMARY KEY, x TEXT); CREATE TRIGGER tr AFTER UPDATE ON a BEGIN DELETE FROM docs WHERE rowid = OLD.id; END;
-- rows
INSERT INTO docs VALUES ('a','hello'), ('b','world'); INSERT INTO a VALUES (1,NULL),(2,'y');
-- change
UPDATE a SET x = 'z' WHERE x IS NULL;
