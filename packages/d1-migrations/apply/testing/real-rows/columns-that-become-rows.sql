-- Harm: no
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE u (id INTEGER PRIMARY KEY, name TEXT, bio TEXT);
-- rows
INSERT INTO u VALUES (1, 'x', 'x'), (2, NULL, 'n');
-- change
-- d1:moves u.name to attribute.value: one row for each
-- d1:moves u.bio to attribute.value: one row for each
CREATE TABLE attribute (user_id INTEGER REFERENCES u (id), name TEXT, value TEXT, PRIMARY KEY (user_id, name)); INSERT INTO attribute SELECT id, 'name', name FROM u UNION ALL SELECT id, 'bio', bio FROM u; ALTER TABLE u DROP COLUMN name; ALTER TABLE u DROP COLUMN bio;
