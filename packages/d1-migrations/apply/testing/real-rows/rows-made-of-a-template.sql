-- Harm: no
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE role (id INTEGER PRIMARY KEY, org INTEGER, name TEXT);
-- rows
INSERT INTO role VALUES (1, NULL, 'x'), (2, NULL, 'y');
-- change
INSERT INTO role (org, name) SELECT 7, name FROM role WHERE org IS NULL;
