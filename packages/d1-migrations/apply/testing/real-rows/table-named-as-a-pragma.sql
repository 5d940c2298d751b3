-- Harm: no
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE pragma_table_info (id INTEGER PRIMARY KEY, t TEXT);
CREATE TABLE pragma_table_list (id INTEGER PRIMARY KEY, info_id INTEGER REFERENCES pragma_table_info (id));
CREATE TABLE json_each (key TEXT, value TEXT);
-- rows
INSERT INTO pragma_table_info VALUES (1, 'x'), (2, 'y');
INSERT INTO pragma_table_list VALUES (1, 2);
INSERT INTO json_each VALUES ('a', 'b');
-- change
CREATE TABLE new_each (key TEXT, value TEXT, more TEXT);
INSERT INTO new_each (key, value) SELECT key, value FROM json_each;
DROP TABLE json_each;
ALTER TABLE new_each RENAME TO json_each;
UPDATE pragma_table_info SET t = trim(t);
