-- Harm: yes
-- Lint: loses
-- Up: refuses
-- before
CREATE TABLE red (id INTEGER PRIMARY KEY, j TEXT); CREATE TABLE blue (id INTEGER PRIMARY KEY, j TEXT);
-- rows
INSERT INTO red VALUES (1, '{"r":1}'), (2, '{"r":2}'); INSERT INTO blue VALUES (1, '{"b":1}'), (2, '{"b":2}');
-- change
-- d1:accept not-judged: all texts are JSON
CREATE TABLE red_new (id INTEGER PRIMARY KEY, j TEXT NOT NULL CHECK (json_type(j, '$') = 'object')); CREATE TABLE blue_new (id INTEGER PRIMARY KEY, j TEXT);
INSERT INTO red_new SELECT * FROM blue; INSERT INTO blue_new SELECT * FROM red; DROP TABLE red; DROP TABLE blue;
ALTER TABLE red_new RENAME TO red; ALTER TABLE blue_new RENAME TO blue;
