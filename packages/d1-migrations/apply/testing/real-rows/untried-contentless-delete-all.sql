-- Harm: yes
-- Lint: compared
-- Up: sends
-- before
CREATE TABLE s (id INTEGER PRIMARY KEY, score INTEGER NOT NULL); CREATE VIRTUAL TABLE idx USING fts5(t, content='');
-- rows
INSERT INTO s VALUES (1, 7503); INSERT INTO idx(rowid, t) VALUES (1,'hello'), (2,'world');
-- change
CREATE TABLE m (id INTEGER PRIMARY KEY, score INTEGER CHECK ((score * 7919 + 13) % 10007 = 4711)); INSERT INTO m SELECT id, score FROM s; DROP TABLE s; ALTER TABLE m RENAME TO s;
INSERT INTO idx(idx) VALUES('delete-all');
