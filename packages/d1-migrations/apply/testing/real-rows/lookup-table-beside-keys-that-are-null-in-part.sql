-- Harm: no
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE item (id TEXT NOT NULL, part INTEGER, kind TEXT NOT NULL, PRIMARY KEY (id, part));
-- rows
INSERT INTO item VALUES ('a',NULL,'x'),('a',NULL,'y'),('b',7,'y');
-- change
-- d1:moves item.kind to kind.name: kinds have a table of their own
CREATE TABLE kind (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE); INSERT INTO kind (name) SELECT DISTINCT kind FROM item; ALTER TABLE item ADD COLUMN kind_id INTEGER REFERENCES kind (id); UPDATE item SET kind_id = (SELECT id FROM kind WHERE name = item.kind); ALTER TABLE item DROP COLUMN kind;
