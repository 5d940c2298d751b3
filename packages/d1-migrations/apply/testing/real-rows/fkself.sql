-- Harm: no
-- Lint: compared
-- Up: sends
-- before
CREATE TABLE n (id INTEGER PRIMARY KEY, up INTEGER, t TEXT);
-- rows
INSERT INTO n VALUES (1,NULL,'a'),(2,1,'b'),(3,2,'c');
-- change
CREATE TABLE m (id INTEGER PRIMARY KEY, up INTEGER REFERENCES m(id), t TEXT); INSERT INTO m SELECT * FROM n ORDER BY id; DROP TABLE n; ALTER TABLE m RENAME TO n;
