-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE u (id INTEGER PRIMARY KEY, a TEXT, b TEXT);
-- rows
INSERT INTO u VALUES (1,'x','y');
-- change
CREATE TABLE m (id INTEGER PRIMARY KEY, a TEXT, b TEXT); INSERT INTO m (id,a,b) SELECT id, b, a FROM u; DROP TABLE u; ALTER TABLE m RENAME TO u;
