-- harm: no
-- lint: compared
-- up: sends
-- before
CREATE TABLE file (id TEXT PRIMARY KEY); CREATE TABLE part (id TEXT PRIMARY KEY, file TEXT REFERENCES old_file (id));
-- rows
CREATE TABLE old_file (id TEXT PRIMARY KEY); INSERT INTO file VALUES ('f1'); INSERT INTO part VALUES ('p1', NULL); DROP TABLE old_file;
-- change
CREATE TABLE new_part (id TEXT PRIMARY KEY, file TEXT REFERENCES file (id)); INSERT INTO new_part SELECT id, file FROM part; DROP TABLE part; ALTER TABLE new_part RENAME TO part;
