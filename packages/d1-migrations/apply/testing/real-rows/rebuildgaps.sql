-- Harm: no
-- Lint: compared
-- Up: sends
-- before
CREATE TABLE n (a TEXT, b TEXT);
-- rows
INSERT INTO n(rowid,a,b) VALUES (1,'a','x'),(5,'a','x'),(9,NULL,NULL);
-- change
CREATE TABLE m (a TEXT, b TEXT, c TEXT DEFAULT 'z'); INSERT INTO m (a,b) SELECT a, b FROM n; DROP TABLE n; ALTER TABLE m RENAME TO n;
