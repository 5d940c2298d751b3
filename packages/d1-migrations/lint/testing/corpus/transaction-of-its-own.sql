-- BEGIN and COMMIT around the file
-- Seen: hand-written
-- On D1: fails
-- Lint: error transaction
-- before
CREATE TABLE note (id TEXT PRIMARY KEY);
-- change
BEGIN TRANSACTION;
ALTER TABLE note ADD COLUMN text TEXT;
COMMIT;
