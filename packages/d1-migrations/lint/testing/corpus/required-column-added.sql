-- ALTER TABLE ADD NOT NULL without a default
-- Seen: drizzle-kit 0.31
-- On D1: fails
-- Lint: error fails-on-rows
-- before
CREATE TABLE note (id TEXT PRIMARY KEY);
-- change
ALTER TABLE `note` ADD `mood` text NOT NULL;
