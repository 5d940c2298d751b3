-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE u (id TEXT PRIMARY KEY, age INTEGER, bal REAL);
-- rows
INSERT INTO u VALUES ('a','about 30',1.5),('b',NULL,2);
-- change
UPDATE u SET age = age + 0, bal = bal * 1;
