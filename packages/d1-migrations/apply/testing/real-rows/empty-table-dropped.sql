-- Harm: no
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE s (id INTEGER PRIMARY KEY, a TEXT); CREATE TABLE empty (id INTEGER PRIMARY KEY, b TEXT);
-- rows
INSERT INTO s(id,a) VALUES (1,NULL);
-- change
DROP TABLE empty; ALTER TABLE s DROP COLUMN a;
