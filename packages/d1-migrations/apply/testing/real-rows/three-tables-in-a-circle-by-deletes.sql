-- Harm: yes
-- Lint: loses
-- Up: refuses
-- before
CREATE TABLE red (v TEXT); CREATE TABLE blue (v TEXT); CREATE TABLE green (v TEXT);
-- rows
INSERT INTO red VALUES ('r1'), ('r2'); INSERT INTO blue VALUES ('b1'), ('b2'); INSERT INTO green VALUES ('g1');
-- change
CREATE TABLE stash (v TEXT); INSERT INTO stash SELECT * FROM red; DELETE FROM red;
INSERT INTO red SELECT * FROM blue; DELETE FROM blue; INSERT INTO blue SELECT * FROM green; DELETE FROM green;
INSERT INTO green SELECT * FROM stash; DROP TABLE stash;
