-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE n (v TEXT);
-- rows
INSERT INTO n VALUES ('a'),('b'),('c');
-- change
DELETE FROM n WHERE rowid = 3; INSERT INTO n VALUES ('d');
