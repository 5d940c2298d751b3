-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE u (id INTEGER PRIMARY KEY, name TEXT, bio TEXT);
-- rows
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<1200) INSERT INTO u SELECT i, 'n'||i, 'b'||i FROM n;
-- change
CREATE TABLE profile (user_id INTEGER PRIMARY KEY, bio TEXT); INSERT INTO profile SELECT id, bio FROM (SELECT id, bio, row_number() OVER (ORDER BY id) AS n FROM u) WHERE n <= 1000; ALTER TABLE u DROP COLUMN bio;
