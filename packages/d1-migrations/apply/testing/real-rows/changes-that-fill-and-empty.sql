-- Harm: yes
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT);
-- rows
INSERT INTO note VALUES (1,hex(zeroblob(601))),(2,'b'),(3,NULL),(4,'d');
-- change
-- d1:changes note.text: a mark for each
UPDATE note SET text = CASE WHEN length(text) > 1000 THEN NULL ELSE coalesce(text, 'none') || '!' END;
