-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE item (id INTEGER PRIMARY KEY, price INTEGER); CREATE TABLE price_log (item INTEGER, price INTEGER, at TEXT);
-- rows
INSERT INTO item VALUES (1, 100), (2, 250);
-- change
INSERT INTO price_log SELECT id, price, 'now' FROM item; UPDATE item SET price = price * 2;
