-- Harm: yes
-- Lint: loses
-- Up: refuses
-- before
CREATE TABLE setting (id INTEGER PRIMARY KEY CHECK (id = 1), theme TEXT, lang TEXT);
-- rows
INSERT INTO setting VALUES (1,'dark','de');
-- change
CREATE TABLE __new_setting (id INTEGER PRIMARY KEY, theme TEXT, lang TEXT);
INSERT INTO __new_setting SELECT * FROM setting;
DROP TABLE setting;
ALTER TABLE __new_setting RENAME TO setting;
