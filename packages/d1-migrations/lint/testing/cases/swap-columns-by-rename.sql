-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE note (id TEXT PRIMARY KEY NOT NULL, text TEXT, kind TEXT, at INTEGER, done INTEGER NOT NULL DEFAULT 0);
-- rows
INSERT INTO note VALUES ('n1','one','a',1,0),('n2',NULL,'b',2,1),('n3','','a',NULL,0),('n4','four',NULL,4,1),('N5','one','c',500,2);
-- change
ALTER TABLE note RENAME COLUMN text TO tmp;
ALTER TABLE note RENAME COLUMN kind TO text;
ALTER TABLE note RENAME COLUMN tmp TO kind;
