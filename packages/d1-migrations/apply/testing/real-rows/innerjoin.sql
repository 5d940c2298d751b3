-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE sale (id INTEGER PRIMARY KEY, c INTEGER); CREATE TABLE cust (id INTEGER PRIMARY KEY, name TEXT);
-- rows
INSERT INTO sale VALUES (1, 1), (2, 9); INSERT INTO cust VALUES (1,'a');
-- change
CREATE TABLE n (id INTEGER PRIMARY KEY, c INTEGER, name TEXT); INSERT INTO n SELECT s.id, s.c, cust.name FROM sale s JOIN cust ON cust.id = s.c; DROP TABLE sale; ALTER TABLE n RENAME TO sale;
