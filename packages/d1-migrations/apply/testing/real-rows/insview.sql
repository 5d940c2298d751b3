-- Harm: no
-- Lint: compared
-- Up: sends
-- before
CREATE TABLE n (id INTEGER PRIMARY KEY, t TEXT); CREATE VIEW v AS SELECT * FROM n; CREATE TRIGGER i INSTEAD OF INSERT ON v BEGIN INSERT INTO n VALUES (NEW.id, NEW.t); END;
-- rows
INSERT INTO n VALUES (1,'a'),(2,'b');
-- change
INSERT INTO v VALUES (9,'new');
