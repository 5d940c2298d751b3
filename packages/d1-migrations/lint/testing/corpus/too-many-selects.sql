-- Six SELECTs in one
-- Seen: hand-written
-- On D1: fails
-- Lint: error fails
-- before
CREATE TABLE colour (name TEXT);
-- change
INSERT INTO colour SELECT 'a' UNION ALL SELECT 'b' UNION ALL SELECT 'c' UNION ALL SELECT 'd' UNION ALL SELECT 'e' UNION ALL SELECT 'f';
