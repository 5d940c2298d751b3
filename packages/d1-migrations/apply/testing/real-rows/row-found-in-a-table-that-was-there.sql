-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE a (id TEXT PRIMARY KEY, v TEXT);
CREATE TABLE c (id TEXT PRIMARY KEY, v TEXT);
-- rows
INSERT INTO a VALUES ('1', 'x'), ('2 €', NULL);
INSERT INTO c VALUES ('2 €', 'of c'), ('3', 'z');
-- change
INSERT INTO c SELECT * FROM a WHERE NOT hex(id) LIKE '%E282AC%';
INSERT INTO c VALUES ('new', 'n');
DROP TABLE a;
