-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE n (id INTEGER PRIMARY KEY, a TEXT, b TEXT);
-- rows
INSERT INTO n VALUES (1,'x','y'),(2,'z',NULL);
-- change
-- d1:changes n.a: other words by request
UPDATE n SET a = a || '!'; DELETE FROM n WHERE length(a) = 2 AND id = 2;
