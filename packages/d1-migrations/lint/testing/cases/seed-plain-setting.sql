-- Harm: no
-- Lint: keeps
-- Up: sends
-- before
CREATE TABLE setting (id INTEGER PRIMARY KEY CHECK (id = 1), theme TEXT, lang TEXT);
-- rows
INSERT INTO setting VALUES (1,'dark','de');
-- change
INSERT INTO setting (id, theme, lang) SELECT 1, 'light', 'en' WHERE NOT EXISTS (SELECT 1 FROM setting);
