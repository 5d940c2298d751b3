-- A LEFT JOIN keeps rows without a partner
-- Seen: hand-written
-- On D1: keeps
-- Lint: error lost-rows; error lost-values
-- before
CREATE TABLE product (id TEXT PRIMARY KEY NOT NULL, slug TEXT);
CREATE TABLE move (id TEXT PRIMARY KEY NOT NULL, product_id TEXT);
-- change
CREATE TABLE __new_move (id TEXT PRIMARY KEY NOT NULL, slug TEXT);
INSERT INTO __new_move SELECT m.id, p.slug FROM move m LEFT JOIN product p ON p.id = m.product_id;
DROP TABLE move;
ALTER TABLE __new_move RENAME TO move;
