-- Harm: yes
-- Lint: compared
-- Up: sends
-- before
CREATE TABLE note (id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT);
-- rows
INSERT INTO note (text) VALUES ('a'), ('b'), ('c'); DELETE FROM note WHERE id = 3;
-- change
UPDATE sqlite_sequence SET seq = 0 WHERE name = 'note';
