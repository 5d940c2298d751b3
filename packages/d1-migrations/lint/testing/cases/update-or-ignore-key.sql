-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE tag (name TEXT PRIMARY KEY NOT NULL COLLATE NOCASE, colour TEXT);
-- rows
INSERT INTO tag VALUES ('red','r'),('Blue',NULL);
-- change
UPDATE OR IGNORE tag SET name = 'red' WHERE colour IS NULL;
