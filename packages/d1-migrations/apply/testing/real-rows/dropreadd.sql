-- Harm: yes
-- Lint: loses
-- Up: refuses
-- before
CREATE TABLE a (id INTEGER PRIMARY KEY, x TEXT, y TEXT);
-- rows
INSERT INTO a VALUES (1, 'v', NULL), (2, 'w', 'k');
-- change
UPDATE a SET y = coalesce(y, x); ALTER TABLE a DROP COLUMN x;
