-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE s (id INTEGER PRIMARY KEY, n TEXT);
-- rows
INSERT INTO s VALUES (1, '007'), (2, '5');
-- change
CREATE TABLE m (id INTEGER PRIMARY KEY, n INTEGER); INSERT INTO m SELECT id, n FROM s; DROP TABLE s; ALTER TABLE m RENAME TO s;
