-- Harm: no
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE n (id INTEGER PRIMARY KEY, price INTEGER, x TEXT);
-- rows
INSERT INTO n VALUES (1,5,'a'),(2,5,'b'),(3,NULL,NULL);
-- change
-- d1:loses n.price: nobody pays any more
ALTER TABLE n DROP COLUMN price;
