-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE u (id INTEGER PRIMARY KEY, name TEXT, bio TEXT);
-- rows
INSERT INTO u VALUES (1,'a', replace(hex(zeroblob(3003)),'0','x')), (2,'b','short'), (3,'c',NULL);
-- change
CREATE TABLE profile (user_id INTEGER PRIMARY KEY, bio TEXT CHECK (length(bio) <= 5000)); INSERT OR IGNORE INTO profile SELECT id, bio FROM u; ALTER TABLE u DROP COLUMN bio;
