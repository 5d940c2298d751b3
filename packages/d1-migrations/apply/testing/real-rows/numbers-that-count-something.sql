-- Harm: no
-- Lint: compared
-- Up: sends
-- before
CREATE TABLE page (id TEXT PRIMARY KEY, body TEXT); CREATE TABLE visit (page TEXT, n INTEGER);
-- rows
INSERT INTO page(rowid,id,body) VALUES (1,'a','x'),(5,'b','y'),(9,'c','z'); INSERT INTO visit VALUES ('a',1),('b',5),('c',7);
-- change
CREATE TABLE n (id TEXT PRIMARY KEY, body TEXT, more TEXT); INSERT INTO n(id,body) SELECT id, body FROM page; DROP TABLE page; ALTER TABLE n RENAME TO page;
