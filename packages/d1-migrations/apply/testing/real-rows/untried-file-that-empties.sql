-- Harm: yes
-- Lint: loses
-- Up: refuses
-- before
CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT, meta TEXT); CREATE TABLE player (id INTEGER PRIMARY KEY, team_id INTEGER);
-- rows
INSERT INTO team VALUES (1,'a','{"x":50}'),(3,NULL,'{"x":50}'); INSERT INTO player VALUES (1,3),(2,1);
-- change
CREATE TABLE m (id INTEGER PRIMARY KEY, name TEXT, meta TEXT CHECK (json_extract(meta,'$.x') + 3 = 53)); INSERT INTO m SELECT * FROM team; DROP TABLE team; ALTER TABLE m RENAME TO team; UPDATE team SET name = NULL; DELETE FROM player WHERE team_id = 3;
