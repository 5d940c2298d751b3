-- Harm: yes
-- Lint: loses
-- Up: refuses
-- before
CREATE TABLE red (id INTEGER PRIMARY KEY, v TEXT); CREATE TABLE blue (id INTEGER PRIMARY KEY, v TEXT);
-- rows
INSERT INTO red VALUES (1, 'r1'), (2, 'r2'); INSERT INTO blue VALUES (7, 'b1'), (8, 'b2');
-- change
CREATE TABLE stash (id INTEGER PRIMARY KEY, v TEXT); INSERT INTO stash SELECT * FROM red; DELETE FROM red;
INSERT INTO red SELECT * FROM blue; DELETE FROM blue; INSERT INTO blue SELECT * FROM stash; DROP TABLE stash;
