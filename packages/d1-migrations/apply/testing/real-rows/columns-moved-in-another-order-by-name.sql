-- Harm: no
-- Lint: compared
-- Up: sends
-- before
CREATE TABLE m (id INTEGER PRIMARY KEY, first TEXT, last TEXT, born INTEGER, died INTEGER);
-- rows
INSERT INTO m VALUES (1,'Ada','Lovelace',1815,1852),(2,'Alan','Turing',1912,1954);
-- change
CREATE TABLE person (id INTEGER PRIMARY KEY, died INTEGER, family TEXT, given TEXT, born INTEGER);
INSERT INTO person (id, given, family, born, died) SELECT id, first, last, born, died FROM m; DROP TABLE m;
