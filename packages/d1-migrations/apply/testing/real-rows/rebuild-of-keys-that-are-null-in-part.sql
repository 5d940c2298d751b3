-- Harm: no
-- Lint: compared
-- Up: sends
-- before
CREATE TABLE item (id TEXT NOT NULL, part BLOB, size INTEGER, PRIMARY KEY (id, part));
-- rows
INSERT INTO item VALUES ('a',NULL,1),('a',NULL,2),('b',x'01',3);
-- change
CREATE TABLE new_item (id TEXT NOT NULL, part BLOB, size INTEGER, note TEXT, PRIMARY KEY (id, part)); INSERT INTO new_item (id, part, size) SELECT id, part, size FROM item; DROP TABLE item; ALTER TABLE new_item RENAME TO item;
