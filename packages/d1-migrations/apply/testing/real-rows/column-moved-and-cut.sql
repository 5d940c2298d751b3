-- Harm: yes
-- Lint: loses
-- Up: refuses
-- before
CREATE TABLE u (id INTEGER PRIMARY KEY, name TEXT, bio TEXT);
-- rows
INSERT INTO u VALUES (1,'a', replace(hex(zeroblob(3003)),'0','x')), (2,'b','short'), (3,'c',NULL);
-- change
CREATE TABLE profile (user_id INTEGER PRIMARY KEY, bio TEXT); INSERT INTO profile SELECT id, substr(bio,1,5000) FROM u; ALTER TABLE u DROP COLUMN bio;
