-- Harm: no
-- Lint: compared
-- Up: sends
-- before
CREATE TABLE wort (id INTEGER PRIMARY KEY, "Ä" TEXT, "ä" TEXT);
-- rows
INSERT INTO wort VALUES (1, 'groß', 'klein'), (2, NULL, 'x');
-- change
CREATE TABLE neu (id INTEGER PRIMARY KEY, "Ä" TEXT NOT NULL DEFAULT '', "ä" TEXT); INSERT INTO neu SELECT id, coalesce("Ä", ''), "ä" FROM wort; DROP TABLE wort; ALTER TABLE neu RENAME TO wort;
