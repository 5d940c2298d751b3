-- Harm: yes
-- Lint: loses
-- Up: refuses
-- before
CREATE TABLE tag (name TEXT PRIMARY KEY NOT NULL COLLATE NOCASE, colour TEXT);
-- rows
INSERT INTO tag VALUES ('red','r'),('Blue',NULL);
-- change
CREATE TABLE __new_tag (name TEXT PRIMARY KEY NOT NULL, colour TEXT);
INSERT INTO __new_tag SELECT * FROM tag;
DROP TABLE tag;
ALTER TABLE __new_tag RENAME TO tag;
