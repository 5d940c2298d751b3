-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE price (id INTEGER PRIMARY KEY, net INTEGER NOT NULL, tax INTEGER NOT NULL, gross INTEGER GENERATED ALWAYS AS (net + tax) STORED, amount DECIMAL(10,2));
-- rows
INSERT INTO price (id,net,tax,amount) VALUES (1,100,19,1.99),(2,-5,0,'1e3'),(3,0,0,NULL);
-- change
DELETE FROM price WHERE gross = 0;
