-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE n (id INTEGER PRIMARY KEY, a TEXT, k TEXT);
-- rows
INSERT INTO n VALUES (1,'x',hex(zeroblob(600))),(2,'x',hex(zeroblob(600)));
-- change
CREATE TABLE m (id INTEGER PRIMARY KEY, a TEXT, k TEXT); CREATE UNIQUE INDEX mi ON m (a) WHERE length(k) > 1000; INSERT OR REPLACE INTO m SELECT * FROM n; DROP TABLE n; ALTER TABLE m RENAME TO n;
