-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE u (id INTEGER PRIMARY KEY, bio TEXT); CREATE TABLE t (u INTEGER, tag TEXT);
-- rows
INSERT INTO u VALUES (1, 'a'), (2, 'b'); INSERT INTO t VALUES (1, 'x'), (1, 'y'), (2, 'z');
-- change
CREATE TABLE profile (u INTEGER, bio TEXT); INSERT INTO profile SELECT u.id, u.bio FROM u LEFT JOIN t ON t.u = u.id; ALTER TABLE u DROP COLUMN bio;
