-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE u (id INTEGER PRIMARY KEY, mail TEXT UNIQUE, name TEXT); CREATE TABLE imp (id INTEGER PRIMARY KEY, mail TEXT, name TEXT);
-- rows
INSERT INTO u VALUES (1,'a','A'),(2,'b','B'); INSERT INTO imp VALUES (7,'a','Z');
-- change
REPLACE INTO u SELECT * FROM imp;
