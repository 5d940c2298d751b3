-- Harm: no
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE u (id INTEGER PRIMARY KEY, name TEXT, full_name TEXT);
-- rows
INSERT INTO u VALUES (1, 'x', 'x'), (2, NULL, 'n');
-- change
-- d1:moves u.name to u.full_name: 0002 has copied all of them
ALTER TABLE u DROP COLUMN name;
