-- Harm: no
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE u (id INTEGER PRIMARY KEY, bio TEXT); CREATE TABLE t (u INTEGER, tag TEXT);
-- rows
INSERT INTO u VALUES (1, 'a'), (2, 'b'); INSERT INTO t VALUES (1, 'x'), (1, 'y'), (2, 'z');
-- change
-- d1:moves u.bio to profile.bio: decided in the ticket
-- d1:repeats u, at most 1 rows: a profile for each tag is meant
CREATE TABLE profile (u INTEGER, bio TEXT); INSERT INTO profile SELECT u.id, u.bio FROM u LEFT JOIN t ON t.u = u.id; ALTER TABLE u DROP COLUMN bio;
