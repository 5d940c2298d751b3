-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE n (id INTEGER PRIMARY KEY, v TEXT);
-- rows
INSERT INTO n VALUES (1,'a'),(2,'ok');
-- change
UPDATE n SET v = upper(v);
