-- Harm: no
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE red (id INTEGER PRIMARY KEY, v TEXT); CREATE TABLE blue (id INTEGER PRIMARY KEY, v TEXT);
-- rows
INSERT INTO red VALUES (1, 'r1'), (2, 'r2'); INSERT INTO blue VALUES (1, 'b1'), (2, 'b2');
-- change
-- d1:moves red to blue: they were called by the wrong names
-- d1:moves blue to red: they were called by the wrong names
CREATE TABLE red_new (id INTEGER PRIMARY KEY, v TEXT); CREATE TABLE blue_new (id INTEGER PRIMARY KEY, v TEXT);
INSERT INTO red_new SELECT * FROM blue; INSERT INTO blue_new SELECT * FROM red; DROP TABLE red; DROP TABLE blue;
ALTER TABLE red_new RENAME TO red; ALTER TABLE blue_new RENAME TO blue;
