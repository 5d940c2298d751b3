-- Harm: yes
-- Lint: compared
-- Up: sends
-- before
CREATE TABLE role (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO role VALUES (1,'admin'),(2,'user'),(3,'guest');
-- rows
DELETE FROM role; INSERT INTO role VALUES (1,'x'),(2,'y'),(3,'z'),(4,'q');
-- change
DELETE FROM role WHERE id IN (1,2,3);
