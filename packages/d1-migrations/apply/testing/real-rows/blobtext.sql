-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE n (id INTEGER PRIMARY KEY, v BLOB);
-- rows
INSERT INTO n VALUES (1,x'2041'),(2,'ok');
-- change
UPDATE n SET v = trim(v);
