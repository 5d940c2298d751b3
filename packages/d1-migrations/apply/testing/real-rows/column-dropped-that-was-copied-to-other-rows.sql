-- Harm: yes
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE u (id INTEGER PRIMARY KEY, bio TEXT); CREATE TABLE profile (user_id INTEGER PRIMARY KEY REFERENCES u (id), bio TEXT);
-- rows
INSERT INTO u VALUES (1, 'x'), (2, NULL), (3, 'z'); INSERT INTO profile VALUES (1, 'z'), (3, 'x');
-- change
-- d1:moves u.bio to profile.bio: 0002 has copied all of them
ALTER TABLE u DROP COLUMN bio;
