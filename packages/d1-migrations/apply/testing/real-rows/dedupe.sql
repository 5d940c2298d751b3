-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE ev (k TEXT, v TEXT);
-- rows
INSERT INTO ev VALUES ('a','b'),('a','b'),('c','d');
-- change
DELETE FROM ev WHERE rowid NOT IN (SELECT min(rowid) FROM ev GROUP BY k, v);
