-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE u (id INTEGER PRIMARY KEY, name TEXT);
-- rows
INSERT INTO u VALUES (1,'a'),(2,'b');
-- change
CREATE TABLE __new_u (id INTEGER PRIMARY KEY, name TEXT, nаme TEXT); INSERT INTO __new_u (id, nаme) SELECT id, name FROM u; DROP TABLE u; ALTER TABLE __new_u RENAME TO u;
