-- Harm: no
-- Lint: keeps
-- Up: sends
-- before
CREATE TABLE event (id INTEGER PRIMARY KEY, happened TEXT NOT NULL);
-- rows
INSERT INTO event VALUES (1, '2024-01-01 10:00:00');
-- change
ALTER TABLE event ADD COLUMN day TEXT CHECK (day IS NOT NULL) AS (date(happened));
