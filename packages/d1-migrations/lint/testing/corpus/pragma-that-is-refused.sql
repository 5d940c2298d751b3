-- PRAGMA journal_mode at the top
-- Seen: hand-written
-- On D1: fails
-- Lint: error transaction
-- before
CREATE TABLE note (id TEXT PRIMARY KEY);
-- change
PRAGMA journal_mode = WAL;
ALTER TABLE note ADD COLUMN text TEXT;
