-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE ev (id INTEGER PRIMARY KEY, v TEXT);
-- rows
INSERT INTO ev VALUES (1,'x'),(2,'y');
-- change
UPDATE ev SET v = (SELECT trim(v) FROM ev ORDER BY id LIMIT 1);
