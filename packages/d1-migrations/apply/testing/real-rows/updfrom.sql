-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE n (id INTEGER PRIMARY KEY, t TEXT); CREATE TABLE m (id INTEGER PRIMARY KEY, t TEXT);
-- rows
INSERT INTO n VALUES (1,'a'),(2,'b'); INSERT INTO m VALUES (1,'z');
-- change
UPDATE n SET t = m.t FROM m WHERE m.id = n.id;
