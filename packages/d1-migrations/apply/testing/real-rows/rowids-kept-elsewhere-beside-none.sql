-- Harm: yes
-- Lint: compared
-- Up: sends
-- before
CREATE TABLE log (msg TEXT);
CREATE TABLE mark (usr TEXT PRIMARY KEY, at_row INTEGER);
-- rows
INSERT INTO log (rowid, msg) VALUES (3, 'a'), (7, 'b'), (8, 'c');
INSERT INTO mark VALUES ('x', 7), ('y', 8), ('z', 0), ('w', -1), ('v', '');
-- change
CREATE TABLE l2 (msg TEXT);
INSERT INTO l2 SELECT msg FROM log;
DROP TABLE log;
ALTER TABLE l2 RENAME TO log;
