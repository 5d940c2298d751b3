-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE letter (email TEXT PRIMARY KEY);
-- rows
INSERT INTO letter VALUES ('A@x'),('a@x'),(' a@x'),('B@x'),('b@x'),('d@x');
-- change
-- d1:loses letter, at most 1 row: one address was entered twice
CREATE TABLE n2 (email TEXT PRIMARY KEY);
INSERT OR IGNORE INTO n2 SELECT lower(trim(email)) FROM letter;
DROP TABLE letter;
ALTER TABLE n2 RENAME TO letter;
