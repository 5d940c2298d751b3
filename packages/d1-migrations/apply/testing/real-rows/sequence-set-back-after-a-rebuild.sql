-- Harm: yes
-- Lint: compared
-- Up: sends
-- before
CREATE TABLE note (id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT);
-- rows
INSERT INTO note (text) VALUES ('a'), ('b'), ('c'); DELETE FROM note WHERE id = 3;
-- change
CREATE TABLE n2 (id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT); INSERT INTO n2 SELECT * FROM note; DROP TABLE note; ALTER TABLE n2 RENAME TO note; DELETE FROM sqlite_sequence WHERE name = 'note';
