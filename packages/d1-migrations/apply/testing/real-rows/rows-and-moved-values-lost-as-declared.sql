-- Harm: no
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE u (id INTEGER PRIMARY KEY, name TEXT, bio TEXT);
-- rows
INSERT INTO u VALUES (1,'a','x'),(2,'b','y'),(99,'c','z'),(4,'d',NULL);
-- change
-- d1:moves u.bio to p.bio: decided in the ticket
-- d1:loses u, at most 2 rows: those of tests
DELETE FROM u WHERE id = 99;
CREATE TABLE p (u_id INTEGER PRIMARY KEY, bio TEXT);
INSERT INTO p SELECT id, bio FROM u WHERE bio IS NOT NULL;
ALTER TABLE u DROP COLUMN bio;
