-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE note (id INTEGER PRIMARY KEY, v TEXT, n INTEGER);
-- rows
INSERT INTO note VALUES (1, 'a1', 10), (2, NULL, 30), (9, 'a long value of nine', 9);
-- change
CREATE TABLE note_backup AS SELECT * FROM note; DROP TABLE note; CREATE TABLE note (id INTEGER PRIMARY KEY, v TEXT, n INTEGER);
INSERT INTO note SELECT id, substr(v, 1, 5), n FROM note_backup;
