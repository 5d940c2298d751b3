-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE u (id INTEGER PRIMARY KEY ON CONFLICT REPLACE, name TEXT);
-- rows
INSERT INTO u VALUES (1,'A'),(2,'B');
-- change
INSERT INTO u SELECT 1, 'Z';
