-- Harm: no
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE u (id INTEGER PRIMARY KEY, name TEXT, bio TEXT);
-- rows
INSERT INTO u VALUES (1,'a','x'),(2,'b','x'),(3,'c',NULL);
-- change
-- d1:moves u.bio to p.bio: decided in the ticket
CREATE TABLE p (id INTEGER PRIMARY KEY, bio TEXT); INSERT INTO p SELECT id, bio FROM u; UPDATE u SET bio = NULL;
