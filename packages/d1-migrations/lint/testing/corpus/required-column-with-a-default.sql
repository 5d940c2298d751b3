-- ALTER TABLE ADD NOT NULL with a default
-- Seen: drizzle-kit 0.31
-- On D1: keeps
-- Lint: nothing
-- before
CREATE TABLE note (id TEXT PRIMARY KEY);
-- change
ALTER TABLE `note` ADD `mood` text DEFAULT 'neutral' NOT NULL;
