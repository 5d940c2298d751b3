-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE log (id INTEGER PRIMARY KEY, x TEXT); CREATE TRIGGER keep AFTER INSERT ON log BEGIN DELETE FROM log WHERE id < NEW.id - 2; END;
-- rows
INSERT INTO log VALUES (1,'a'),(2,'b');
-- change
INSERT INTO log VALUES (10,'c');
