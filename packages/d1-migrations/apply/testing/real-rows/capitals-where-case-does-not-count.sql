-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE u (id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE);
-- rows
INSERT INTO u VALUES (1,'Ann'),(2,'b' || hex(zeroblob(600)) || 'b');
-- change
UPDATE u SET name = upper(name) WHERE length(name) > 1000;
