-- Harm: yes
-- Lint: compared
-- Up: sends
-- before
CREATE TABLE page (id TEXT PRIMARY KEY, body TEXT); CREATE TABLE mark (page_rowid INTEGER, note TEXT);
-- rows
INSERT INTO page(rowid,id,body) VALUES (1,'a','x'),(5,'b','y'),(9,'c','z'); INSERT INTO mark SELECT rowid, 'm' FROM page;
-- change
CREATE TABLE n (id TEXT PRIMARY KEY, body TEXT, more TEXT); INSERT INTO n(id,body) SELECT id, body FROM page; DROP TABLE page; ALTER TABLE n RENAME TO page;
