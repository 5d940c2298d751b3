-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE note (id INTEGER PRIMARY KEY, v TEXT, n INTEGER);
-- rows
INSERT INTO note VALUES (1, 'a1', 10), (2, replace(hex(zeroblob(600)), '0', 'x'), 30);
-- change
CREATE TABLE note_backup AS SELECT * FROM note; DELETE FROM note WHERE n < 20; UPDATE note SET v = '' WHERE length(v) > 1000;
