-- Harm: yes
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE log (text TEXT);
-- rows
INSERT INTO log (rowid, text) VALUES (1, 'x'), (2, 'y'), (7503, NULL);
-- change
-- d1:changes log.text: a mark for each
UPDATE log SET text = text || '.'; DELETE FROM log WHERE rowid * 7919 % 10007 = 4698;
