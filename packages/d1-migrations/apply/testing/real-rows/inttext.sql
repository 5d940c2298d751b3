-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE n (id INTEGER PRIMARY KEY, v ANY) STRICT;
-- rows
INSERT INTO n VALUES (1, 5),(2,'ok');
-- change
UPDATE n SET v = trim(v);
