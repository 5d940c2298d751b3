-- A rebuild makes a column required
-- Seen: drizzle-kit 0.31
-- On D1: keeps
-- Lint: warning fails-on-rows
-- before
CREATE TABLE note (id TEXT PRIMARY KEY, mood TEXT);
-- change
CREATE TABLE `__new_note` (id TEXT PRIMARY KEY, mood TEXT NOT NULL);
--> statement-breakpoint
INSERT INTO `__new_note`("id", "mood") SELECT "id", "mood" FROM `note`;--> statement-breakpoint
DROP TABLE `note`;--> statement-breakpoint
ALTER TABLE `__new_note` RENAME TO `note`;
