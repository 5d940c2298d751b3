-- Harm: no
-- Lint: compared
-- Up: sends
-- before
CREATE TABLE a (id INTEGER PRIMARY KEY, v TEXT, n INTEGER);
-- rows
INSERT INTO a VALUES (1, 'x', 1), (2, NULL, 2);
-- change
ALTER TABLE a RENAME TO a_old; CREATE TABLE a (id INTEGER PRIMARY KEY, v TEXT NOT NULL, n INTEGER); INSERT INTO a SELECT id, coalesce(v, ''), n FROM a_old;
