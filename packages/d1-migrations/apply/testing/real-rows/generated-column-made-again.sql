-- Harm: no
-- Lint: compared
-- Up: sends
-- before
CREATE TABLE s (id INTEGER PRIMARY KEY, a TEXT, g TEXT AS (lower(a)) VIRTUAL);
-- rows
INSERT INTO s(id,a) VALUES (1,'X'),(2,'Y');
-- change
ALTER TABLE s DROP COLUMN g; ALTER TABLE s ADD COLUMN g TEXT AS (upper(a)) VIRTUAL;
