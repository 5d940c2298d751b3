-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE jan (at TEXT, msg TEXT);
CREATE TABLE feb (at TEXT, msg TEXT);
-- rows
INSERT INTO jan VALUES ('1', 'a'), ('2', 'b €');
INSERT INTO feb VALUES ('2', 'b €'), ('3', 'c');
-- change
CREATE TABLE log (at TEXT, msg TEXT);
INSERT INTO log SELECT * FROM jan;
INSERT INTO log SELECT * FROM feb WHERE NOT hex(msg) LIKE '%E282AC%';
INSERT INTO log VALUES ('4', 'new');
DROP TABLE jan;
DROP TABLE feb;
