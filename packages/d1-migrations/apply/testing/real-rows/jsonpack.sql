-- Harm: yes
-- Lint: loses
-- Up: refuses
-- before
CREATE TABLE n (id INTEGER PRIMARY KEY, a TEXT, b TEXT);
-- rows
INSERT INTO n VALUES (1,'A','B'),(2,x'4344','D');
-- change
CREATE TABLE m (id INTEGER PRIMARY KEY, data TEXT); INSERT INTO m SELECT id, json_object('a', iif(typeof(a) = 'text', a, NULL), 'b', b) FROM n; DROP TABLE n; ALTER TABLE m RENAME TO n;
