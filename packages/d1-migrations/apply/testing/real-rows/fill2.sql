-- Harm: yes
-- Lint: loses
-- Up: refuses
-- before
CREATE TABLE ev (id INTEGER PRIMARY KEY, v TEXT, w TEXT);
-- rows
INSERT INTO ev VALUES (1,NULL,'keep'),(2,'y','gone');
-- change
UPDATE ev SET v = coalesce(v, w), w = NULL;
