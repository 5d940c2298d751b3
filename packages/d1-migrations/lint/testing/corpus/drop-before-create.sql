-- DROP TABLE IF EXISTS at the top of a script
-- Seen: hand-written
-- On D1: loses
-- Lint: error lost-rows
-- before
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT);
-- change
DROP TABLE IF EXISTS customer;
CREATE TABLE IF NOT EXISTS customer (id INTEGER PRIMARY KEY, name TEXT);
INSERT INTO customer VALUES (1, 'Alfreds');
