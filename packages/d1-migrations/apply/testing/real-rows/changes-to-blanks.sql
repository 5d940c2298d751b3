-- Harm: yes
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT);
-- rows
INSERT INTO note VALUES (1,'a'),(2,'b'),(3,''),(4,'zz top');
-- change
-- d1:changes note.text: texts are made shorter
UPDATE note SET text = CASE WHEN text LIKE 'zz%' THEN text ELSE '' END;
