-- Harm: no
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE a (id INTEGER PRIMARY KEY, city TEXT);
-- rows
INSERT INTO a VALUES (1,'Bonn'),(2,'Ulm'),(3,'Bonn'),(4,NULL);
-- change
-- d1:moves a.city to city.name: decided in the ticket
CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT UNIQUE); INSERT INTO city (name) SELECT DISTINCT city FROM a WHERE city IS NOT NULL; ALTER TABLE a ADD COLUMN city_id INTEGER REFERENCES city(id); UPDATE a SET city_id = (SELECT id FROM city WHERE name = a.city); ALTER TABLE a DROP COLUMN city;
