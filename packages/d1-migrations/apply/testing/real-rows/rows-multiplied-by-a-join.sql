-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE sale (id INTEGER, amount INTEGER); CREATE TABLE tag (sale_id INTEGER, t TEXT);
-- rows
INSERT INTO sale VALUES (1, 10), (2, 20); INSERT INTO tag VALUES (1,'a'),(1,'b');
-- change
CREATE TABLE n (id INTEGER, amount INTEGER, tag TEXT); INSERT INTO n SELECT s.*, t.t FROM sale s LEFT JOIN tag t ON t.sale_id = s.id; DROP TABLE sale; ALTER TABLE n RENAME TO sale;
