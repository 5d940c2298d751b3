-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE log (msg TEXT, n INTEGER);
-- rows
INSERT INTO log VALUES ('5 €',1),('6 €',2),('x',3);
-- change
-- d1:loses log, at most 3 rows: those of robots
DELETE FROM log WHERE n = 99;
UPDATE log SET msg = 'y' WHERE hex(msg) LIKE '%E282AC%';
