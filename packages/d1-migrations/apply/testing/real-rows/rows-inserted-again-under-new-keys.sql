-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE sale (id INTEGER PRIMARY KEY, amount INTEGER);
-- rows
INSERT INTO sale VALUES (1, 10), (2, 20);
-- change
INSERT INTO sale (amount) SELECT amount FROM sale;
