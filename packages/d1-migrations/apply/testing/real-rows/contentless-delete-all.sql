-- Harm: yes
-- Lint: compared
-- Up: sends
-- before
CREATE VIRTUAL TABLE idx USING fts5(t, content='');
-- rows
INSERT INTO idx(rowid, t) VALUES (1,'hello'), (2,'world');
-- change
INSERT INTO idx(idx) VALUES('delete-all');
