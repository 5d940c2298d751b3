-- Harm: no
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE a (id INTEGER PRIMARY KEY, city TEXT);
-- rows
INSERT INTO a VALUES (1,'Bonn'),(2,' Ulm');
-- change
-- d1:loses a.city: decided in the ticket
-- d1:loses a, at most 1 row: the test row
DELETE FROM a WHERE id = 1; UPDATE a SET city = trim(city);
