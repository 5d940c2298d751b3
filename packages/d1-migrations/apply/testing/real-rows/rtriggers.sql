-- Harm: yes
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE a (id INTEGER PRIMARY KEY, x TEXT); CREATE TRIGGER t BEFORE DELETE ON a WHEN OLD.id > 5 BEGIN DELETE FROM a WHERE id < 3; END;
-- rows
INSERT INTO a VALUES (1,'a'),(2,'b'),(7,'c');
-- change
-- d1:loses a, at most 1 row: the seventh is a test
DELETE FROM a WHERE id = 7;
