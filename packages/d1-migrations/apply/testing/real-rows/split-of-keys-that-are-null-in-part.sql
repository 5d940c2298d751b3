-- Harm: no
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE item (id TEXT NOT NULL, part INTEGER, size INTEGER NOT NULL, PRIMARY KEY (id, part));
-- rows
INSERT INTO item VALUES ('a',NULL,1),('a',NULL,2),('b',7,3);
-- change
CREATE TABLE small (id TEXT NOT NULL, part INTEGER, size INTEGER NOT NULL); CREATE TABLE large (id TEXT NOT NULL, part INTEGER, size INTEGER NOT NULL); INSERT INTO small SELECT id, part, size FROM item WHERE size = 1; INSERT INTO large SELECT id, part, size FROM item WHERE size <> 1; DROP TABLE item;
