-- Harm: yes
-- Lint: loses
-- Up: refuses
-- before
CREATE TABLE wort (id INTEGER PRIMARY KEY, "Ä" TEXT, "ä" TEXT);
-- rows
INSERT INTO wort VALUES (1, 'groß', 'klein'), (2, NULL, 'x');
-- change
ALTER TABLE wort DROP COLUMN "ä";
