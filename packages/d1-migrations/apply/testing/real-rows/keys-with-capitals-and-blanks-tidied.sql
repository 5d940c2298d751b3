-- Harm: no
-- Lint: tried
-- Up: sends
-- before
CREATE TABLE opt (k TEXT PRIMARY KEY, v TEXT);
-- rows
INSERT INTO opt VALUES ('A ','1'),('a',NULL),('B','2');
-- change
UPDATE opt SET k = lower(k);
