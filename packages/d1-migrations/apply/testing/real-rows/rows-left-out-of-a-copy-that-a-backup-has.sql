-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE note (id INTEGER PRIMARY KEY, v TEXT, n INTEGER);
-- rows
INSERT INTO note VALUES (1, 'a1', 10), (2, NULL, 30);
-- change
CREATE TABLE note_backup AS SELECT * FROM note; DROP TABLE note; CREATE TABLE note (id INTEGER PRIMARY KEY, v TEXT NOT NULL, n INTEGER);
INSERT INTO note SELECT * FROM note_backup WHERE v IS NOT NULL;
