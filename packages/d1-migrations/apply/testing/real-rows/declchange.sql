-- Harm: no
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE n (id INTEGER PRIMARY KEY, price INTEGER);
-- rows
INSERT INTO n VALUES (1,5),(2,5),(3,NULL);
-- change
-- d1:changes n.price: prices are in cents from now on
UPDATE n SET price = price * 100;
