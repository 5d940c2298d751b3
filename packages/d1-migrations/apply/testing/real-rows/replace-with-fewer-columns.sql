-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE u (id INTEGER PRIMARY KEY, mail TEXT UNIQUE, name TEXT, note TEXT);
-- rows
INSERT INTO u VALUES (1,'a','A','n1'),(2,'b','B','n2');
-- change
REPLACE INTO u (id, mail, name) VALUES (1,'a','New');
