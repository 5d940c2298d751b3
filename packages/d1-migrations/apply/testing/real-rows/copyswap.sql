-- Harm: yes
-- Lint: loses
-- Up: refuses
-- before
CREATE TABLE u (id INTEGER PRIMARY KEY, name TEXT, bio TEXT);
-- rows
INSERT INTO u VALUES (1,'a',hex(zeroblob(600))),(2,'b',replace(hex(zeroblob(600)),'0','1'));
-- change
CREATE TABLE p (id INTEGER PRIMARY KEY, bio TEXT); INSERT INTO p SELECT id, iif(length(bio) > 1000, (SELECT o.bio FROM u AS o WHERE o.id <> u.id), bio) FROM u; UPDATE u SET bio = NULL;
