-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE stock (sku TEXT PRIMARY KEY NOT NULL, qty INTEGER); CREATE TABLE move (sku TEXT, d INTEGER); CREATE TRIGGER moved AFTER INSERT ON move BEGIN UPDATE stock SET qty = qty + NEW.d WHERE sku = NEW.sku; END;
-- rows
INSERT INTO stock VALUES ('a', 3), ('b', 5);
-- change
INSERT INTO move (sku, d) SELECT sku, qty FROM stock WHERE qty > 0;
