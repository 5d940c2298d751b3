-- Harm: no
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE hot (id INTEGER PRIMARY KEY, v TEXT, at INTEGER); CREATE TABLE warm (id INTEGER PRIMARY KEY, v TEXT, at INTEGER); CREATE TABLE cold (id INTEGER PRIMARY KEY, v TEXT, at INTEGER);
-- rows
INSERT INTO hot VALUES (1, 'h1', 90), (2, 'h2', 70); INSERT INTO warm VALUES (11, 'w1', 60), (12, 'w2', 20); INSERT INTO cold VALUES (21, 'c1', 1);
-- change
-- d1:moves warm to cold: decided in the ticket
-- d1:moves hot to warm: decided in the ticket
INSERT INTO cold SELECT * FROM warm WHERE at < 50; DELETE FROM warm WHERE at < 50;
INSERT INTO warm SELECT * FROM hot WHERE at < 80; DELETE FROM hot WHERE at < 80;
