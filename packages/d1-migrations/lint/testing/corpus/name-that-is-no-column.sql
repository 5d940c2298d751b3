-- The copy names a column that the old table does not have
-- Seen: drizzle-team/drizzle-orm#4938
-- On D1: keeps
-- Lint: nothing
-- before
CREATE TABLE note (id TEXT PRIMARY KEY, text TEXT);
-- change
CREATE TABLE `__new_note` (id TEXT PRIMARY KEY, text TEXT, mood TEXT NOT NULL);
--> statement-breakpoint
INSERT INTO `__new_note`("id", "text", "mood") SELECT "id", "text", "mood" FROM `note`;--> statement-breakpoint
DROP TABLE `note`;--> statement-breakpoint
ALTER TABLE `__new_note` RENAME TO `note`;
