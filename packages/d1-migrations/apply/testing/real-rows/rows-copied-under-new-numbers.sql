-- Harm: no
-- Lint: keeps
-- Up: sends
-- before
CREATE TABLE a (id INTEGER PRIMARY KEY, v TEXT); CREATE TABLE arch (id INTEGER PRIMARY KEY, v TEXT);
-- rows
INSERT INTO a VALUES (1, 'x'), (2, 'y'); INSERT INTO arch VALUES (9, 'x');
-- change
INSERT INTO arch (v) SELECT v FROM a;
