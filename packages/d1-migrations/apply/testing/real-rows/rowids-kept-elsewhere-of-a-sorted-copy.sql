-- Harm: yes
-- Lint: compared
-- Up: sends
-- before
CREATE TABLE ev (kind TEXT, at INTEGER);
CREATE TABLE mark (id INTEGER PRIMARY KEY, ev_row INTEGER);
-- rows
INSERT INTO ev VALUES ('c', 3), ('a', 1), ('b', 2);
INSERT INTO mark VALUES (1, 2), (2, 1);
-- change
CREATE TABLE ev2 (kind TEXT NOT NULL, at INTEGER);
INSERT INTO ev2 SELECT * FROM ev ORDER BY at;
DROP TABLE ev;
ALTER TABLE ev2 RENAME TO ev;
