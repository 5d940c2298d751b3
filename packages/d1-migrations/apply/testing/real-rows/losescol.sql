-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE n (id INTEGER PRIMARY KEY, a TEXT, b TEXT);
-- rows
INSERT INTO n VALUES (1,'x','y'),(2,'z',NULL);
-- change
-- d1:loses n.a: nobody needs it any more
ALTER TABLE n DROP COLUMN a; UPDATE n SET b = NULL WHERE id = 1;
