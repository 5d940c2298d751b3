-- Harm: yes
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE note (id TEXT PRIMARY KEY, text TEXT);
-- rows
INSERT INTO note VALUES ('a','x'),('b','y');
-- change
-- d1:changes note.text: other wording by request
UPDATE note SET text = 'same';
