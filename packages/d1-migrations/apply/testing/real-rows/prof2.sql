-- Harm: no
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE u (id TEXT PRIMARY KEY, name TEXT, bio TEXT);
-- rows
INSERT INTO u VALUES ('1','a','long'), ('2','b','short'), ('3','c',NULL);
-- change
-- d1:moves u.bio to profile.bio: decided in the ticket
CREATE TABLE profile (id INTEGER PRIMARY KEY, user_id TEXT NOT NULL UNIQUE, bio TEXT); INSERT INTO profile (user_id, bio) SELECT id, bio FROM u WHERE bio IS NOT NULL; ALTER TABLE u DROP COLUMN bio;
