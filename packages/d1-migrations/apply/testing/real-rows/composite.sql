-- Harm: no
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE n (a TEXT, b INTEGER, v TEXT, PRIMARY KEY (a, b)) WITHOUT ROWID;
-- rows
INSERT INTO n VALUES ('x',1,' q '),('x',2,NULL);
-- change
-- d1:changes n.v: decided in the ticket
CREATE TABLE m (a TEXT, b INTEGER, v TEXT NOT NULL DEFAULT '', PRIMARY KEY (a, b)); INSERT INTO m SELECT a, b, coalesce(trim(v),'') FROM n; DROP TABLE n; ALTER TABLE m RENAME TO n;
