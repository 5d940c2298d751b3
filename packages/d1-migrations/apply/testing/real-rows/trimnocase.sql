-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE ev (k TEXT PRIMARY KEY COLLATE NOCASE, v TEXT COLLATE NOCASE);
-- rows
INSERT INTO ev VALUES ('a','b'),('c','d');
-- change
UPDATE ev SET v = upper(v);
