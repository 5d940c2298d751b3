-- Harm: yes
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE note (id INTEGER PRIMARY KEY, at TEXT NOT NULL UNIQUE, text TEXT);
-- rows
INSERT INTO note VALUES (1,'a',hex(zeroblob(601))),(2,'b','b'),(4,'d','d');
-- change
-- d1:changes note.id: other numbers as on paper
-- d1:changes note.text: a mark for each
UPDATE note SET id = id + 700, text = iif(length(text) > 1000, '', text || '!');
