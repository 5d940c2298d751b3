-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE wort (id INTEGER PRIMARY KEY, "Ä" TEXT, "ä" TEXT);
-- rows
INSERT INTO wort VALUES (1, 'groß', 'klein'), (2, NULL, 'x');
-- change
UPDATE wort SET ("Ä", "ä") = ("ä", "Ä");
