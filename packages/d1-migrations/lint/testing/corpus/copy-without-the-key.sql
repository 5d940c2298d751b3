-- One column of a table is copied, and the table dropped
-- Seen: hand-written
-- On D1: loses
-- Lint: error lost-rows
-- before
CREATE TABLE customer (id TEXT PRIMARY KEY, name TEXT, email TEXT);
-- change
CREATE TABLE display_name (text TEXT);
INSERT INTO display_name SELECT name FROM customer;
DROP TABLE customer;
