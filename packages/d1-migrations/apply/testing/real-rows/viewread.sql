-- Harm: yes
-- Lint: loses
-- Up: refuses
-- before
CREATE TABLE n (id INTEGER PRIMARY KEY, a TEXT, gone INTEGER DEFAULT 0); CREATE VIEW live AS SELECT * FROM n WHERE gone = 0;
-- rows
INSERT INTO n VALUES (1,'x',0),(2,'y',3);
-- change
CREATE TABLE m (id INTEGER PRIMARY KEY, a TEXT, gone INTEGER); INSERT INTO m SELECT * FROM live; DROP VIEW live; DROP TABLE n; ALTER TABLE m RENAME TO n; CREATE VIEW live AS SELECT * FROM n WHERE gone = 0;
