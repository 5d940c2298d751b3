-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE a (id INTEGER PRIMARY KEY, x TEXT);
-- rows
INSERT INTO a VALUES (1, 'v'), (2, hex(zeroblob(600)));
-- change
CREATE TABLE arch (id INTEGER PRIMARY KEY, x TEXT); INSERT INTO arch SELECT id, x FROM a WHERE length(x) < 1000; DELETE FROM a WHERE id > 0;
