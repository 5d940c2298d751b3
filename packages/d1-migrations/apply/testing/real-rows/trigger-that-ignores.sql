-- Harm: yes
-- Lint: compared
-- Up: sends
-- before
CREATE TABLE a (id INTEGER PRIMARY KEY, x TEXT); CREATE TABLE arch (id INTEGER PRIMARY KEY, x TEXT); CREATE TRIGGER t BEFORE INSERT ON arch WHEN length(NEW.x) > 1000 BEGIN SELECT RAISE(IGNORE); END;
-- rows
INSERT INTO a VALUES (1,hex(zeroblob(1000))), (2,'q');
-- change
INSERT INTO arch SELECT * FROM a; DROP TABLE a;
