-- Harm: yes
-- Lint: compared
-- Up: sends
-- before
CREATE TABLE p (a TEXT, b TEXT); CREATE TABLE c (p_row INTEGER, t TEXT);
-- rows
INSERT INTO p(rowid,a,b) VALUES (1,'x','1'),(5,'y','2'); INSERT INTO c VALUES (5,'t');
-- change
CREATE TABLE p2 (a TEXT, b TEXT); INSERT INTO p2 SELECT * FROM p; DROP TABLE p; ALTER TABLE p2 RENAME TO p;
