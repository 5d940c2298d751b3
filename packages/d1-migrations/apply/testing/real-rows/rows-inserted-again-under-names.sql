-- Harm: yes
-- Lint: compared
-- Up: sends
-- before
CREATE TABLE sale (id TEXT PRIMARY KEY NOT NULL, amount INTEGER);
-- rows
INSERT INTO sale VALUES ('a', 10), ('b', 20);
-- change
INSERT INTO sale SELECT id || '-copy', amount FROM sale;
