-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE log (at INTEGER, msg TEXT);
CREATE TABLE part (id TEXT PRIMARY KEY NOT NULL, c INTEGER);
-- rows
INSERT INTO log VALUES (1, 'a');
INSERT INTO part VALUES ('p1', 1), ('p2', 2);
-- change
CREATE TRIGGER hidden AFTER INSERT ON log BEGIN DELETE FROM part WHERE c NOT IN (SELECT at FROM log); END;
INSERT INTO log VALUES (9, 'nine');
DROP TRIGGER hidden;
