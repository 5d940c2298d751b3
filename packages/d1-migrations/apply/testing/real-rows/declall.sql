-- Harm: no
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE n (id INTEGER PRIMARY KEY, price INTEGER);
-- rows
INSERT INTO n VALUES (1,5),(2,5),(3,NULL);
-- change
-- d1:loses n, all rows: nobody uses it any more
DROP TABLE n;
