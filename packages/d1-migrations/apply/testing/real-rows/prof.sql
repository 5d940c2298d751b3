-- Harm: no
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE u (id INTEGER PRIMARY KEY, name TEXT, bio TEXT, pic TEXT);
-- rows
INSERT INTO u VALUES (1,'a','long','p'), (2,'b','short',NULL), (3,'c',NULL,NULL);
-- change
-- d1:moves u.bio to profile.bio: decided in the ticket
-- d1:moves u.pic to profile.pic: decided in the ticket
CREATE TABLE profile (user_id INTEGER PRIMARY KEY REFERENCES u(id), bio TEXT, pic TEXT); INSERT INTO profile SELECT id, bio, pic FROM u WHERE bio IS NOT NULL OR pic IS NOT NULL; ALTER TABLE u DROP COLUMN bio; ALTER TABLE u DROP COLUMN pic;
