-- Harm: yes
-- Lint: loses
-- Up: refuses
-- before
CREATE TABLE u (id INTEGER PRIMARY KEY, name TEXT, bio TEXT);
-- rows
INSERT INTO u VALUES (1,'a', replace(hex(zeroblob(3003)),'0','x')), (2,'b',replace(hex(zeroblob(3000)),'0','y')), (3,'c',NULL);
-- change
CREATE TABLE profile (user_id INTEGER PRIMARY KEY, bio TEXT); INSERT INTO profile SELECT id, iif(length(bio) > 4000, (SELECT o.bio FROM u o WHERE o.id <> u.id AND length(o.bio) > 4000), bio) FROM u; ALTER TABLE u DROP COLUMN bio;
