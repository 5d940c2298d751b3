-- Harm: yes
-- Lint: loses
-- Up: sends
-- before
CREATE TABLE opt (k TEXT PRIMARY KEY, v TEXT);
-- rows
INSERT INTO opt VALUES ('A €','1'),('a €',NULL);
-- change
UPDATE OR REPLACE opt SET k = lower(k) WHERE hex(k) LIKE '%E282AC%';
