-- Harm: no
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE opt (k TEXT PRIMARY KEY, v TEXT);
-- rows
INSERT INTO opt VALUES ('A ','1'),('a',NULL),('B','2');
-- change
-- d1:changes opt.k: decided in the ticket
UPDATE opt SET k = lower(k);
