-- Harm: yes
-- Lint: loses
-- Up: refuses
-- before
CREATE TABLE tag (name TEXT PRIMARY KEY NOT NULL COLLATE NOCASE, colour TEXT);
CREATE TABLE post_tag (post_id INTEGER NOT NULL, tag TEXT NOT NULL, weight REAL, PRIMARY KEY (post_id, tag)) WITHOUT ROWID;
-- rows
INSERT INTO tag VALUES ('red','r'),('Blue',NULL);
INSERT INTO post_tag VALUES (1,'red',0.5),(1,'Red',1),(2,'x',NULL);
-- change
CREATE TABLE n (post_id INTEGER NOT NULL, tag TEXT NOT NULL COLLATE NOCASE, weight REAL, PRIMARY KEY (post_id, tag)) WITHOUT ROWID;
INSERT OR IGNORE INTO n SELECT * FROM post_tag;
DROP TABLE post_tag;
ALTER TABLE n RENAME TO post_tag;
