-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE person (id INTEGER PRIMARY KEY, first TEXT, last TEXT, zip TEXT, born TEXT, boss INTEGER REFERENCES person (id));
-- rows
INSERT INTO person VALUES (1,'Ada','L','01234','1815-12-10',NULL),(2,'Bob',NULL,'9','1999',1),(3,NULL,'C','1e3',NULL,2);
-- change
CREATE TABLE n (id INTEGER PRIMARY KEY, first TEXT, last TEXT, zip TEXT, born TEXT, boss INTEGER REFERENCES person (id));
INSERT INTO n (id, first, last, zip, born) SELECT id, first, last, zip, born FROM person;
DROP TABLE person;
ALTER TABLE n RENAME TO person;
