-- A table and a column are renamed, and a column is dropped
-- Seen: drizzle-kit 0.31
-- On D1: keeps
-- Lint: error lost-values; warning old-names
-- before
CREATE TABLE accounts (id TEXT PRIMARY KEY, mail TEXT, plan TEXT);
-- change
ALTER TABLE `accounts` RENAME TO `account`;--> statement-breakpoint
ALTER TABLE `account` RENAME COLUMN "mail" TO "email";--> statement-breakpoint
ALTER TABLE `account` DROP COLUMN `plan`;
