-- Harm: no
-- Lint: compared
-- Up: sends
-- before
CREATE TABLE note (id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT);
-- rows
INSERT INTO note (text) VALUES ('a'), ('b'), ('c'); DELETE FROM note WHERE id = 3;
-- change
-- d1:loses sequence note: the last note was never shown
UPDATE sqlite_sequence SET seq = 2 WHERE name = 'note';
