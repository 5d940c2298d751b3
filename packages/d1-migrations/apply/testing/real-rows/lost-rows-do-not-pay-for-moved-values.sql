-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE u (id INTEGER PRIMARY KEY, name TEXT, bio TEXT);
-- rows
INSERT INTO u VALUES (1,'a','x'),(2,'b','5 €'),(3,'c','6 €'),(4,'d',NULL);
-- change
-- d1:loses u, at most 2 rows: those of tests
DELETE FROM u WHERE id = 99;
CREATE TABLE p (u_id INTEGER PRIMARY KEY, bio TEXT);
INSERT INTO p SELECT id, bio FROM u WHERE NOT coalesce(hex(bio) LIKE '%E282AC%', 0);
ALTER TABLE u DROP COLUMN bio;
