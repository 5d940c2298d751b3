-- Harm: no
-- Lint: compared
-- Up: sends
-- before
CREATE TABLE a (id TEXT PRIMARY KEY, v TEXT, only_a TEXT);
CREATE TABLE b (key TEXT PRIMARY KEY, v TEXT);
-- rows
INSERT INTO a VALUES ('1', 'x', 'p'), ('2', NULL, NULL), ('4', 'same', NULL);
INSERT INTO b VALUES ('3', 'z'), ('5', 'same');
-- change
CREATE TABLE c (id TEXT PRIMARY KEY, v TEXT, only_a TEXT);
INSERT INTO c SELECT * FROM a;
INSERT INTO c (id, v) SELECT * FROM b;
DROP TABLE a;
DROP TABLE b;
