-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE a (id INTEGER PRIMARY KEY, x TEXT); CREATE TABLE b (id INTEGER PRIMARY KEY, y TEXT); CREATE TRIGGER t AFTER UPDATE ON a WHEN length(NEW.x) > 1000 BEGIN DELETE FROM b WHERE id = NEW.id; END;
-- rows
INSERT INTO a VALUES (1,' '||hex(zeroblob(1000))), (2,'q'); INSERT INTO b VALUES (1,'k'),(2,'l');
-- change
UPDATE a SET x = trim(x);
