-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE s (id INTEGER PRIMARY KEY, score INTEGER, t TEXT);
-- rows
INSERT INTO s VALUES (1, 50, 'a'), (2, 60, hex(zeroblob(600)));
-- change
CREATE TABLE m (id INTEGER PRIMARY KEY, score INTEGER CHECK (score * score + 7 * score - 3 = 2847 OR score = 60), t TEXT); INSERT INTO m SELECT id, score, substr(t,1,1000) FROM s; DROP TABLE s; ALTER TABLE m RENAME TO s;
