-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE log (text TEXT);
-- rows
INSERT INTO log (rowid, text) VALUES (1, 'x'), (2, 'y'), (7503, NULL);
-- change
-- d1:loses log.text: nobody reads it
UPDATE log SET text = NULL; DELETE FROM log WHERE rowid * 7919 % 10007 = 4698;
