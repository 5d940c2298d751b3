-- Harm: no
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE old_sale (item TEXT, amount REAL); CREATE TABLE sale (item TEXT, amount REAL);
-- rows
INSERT INTO old_sale VALUES ('a', 5), ('b', 1); INSERT INTO sale VALUES ('c', 5);
-- change
INSERT INTO sale SELECT * FROM old_sale;
