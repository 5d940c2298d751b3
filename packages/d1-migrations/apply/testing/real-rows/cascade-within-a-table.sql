-- Harm: yes
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE n (id INTEGER PRIMARY KEY, up INTEGER REFERENCES n(id) ON DELETE CASCADE, t TEXT);
-- rows
INSERT INTO n VALUES (1,NULL,'a'),(2,1,'b'),(3,2,'c');
-- change
-- d1:loses n, at most 1 row: the root only
DELETE FROM n WHERE id = 1;
