-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE n (id INTEGER PRIMARY KEY, a TEXT);
-- rows
INSERT INTO n VALUES (1,'x'),(2,hex(zeroblob(600)));
-- change
CREATE TABLE m (id INTEGER PRIMARY KEY, a TEXT CHECK (length(a) < 1000)); INSERT OR IGNORE INTO m SELECT * FROM n; DROP TABLE n; ALTER TABLE m RENAME TO n;
