-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE u (id INTEGER PRIMARY KEY, mail TEXT UNIQUE, name TEXT);
-- rows
INSERT INTO u VALUES (1,'a','A'),(2,'b','B');
-- change
REPLACE INTO u VALUES (1,'b','New');
