-- A rebuild forgets a unique index and a trigger
-- Seen: hand-written
-- On D1: keeps
-- Lint: error lost-parts
-- before
CREATE TABLE note (id TEXT PRIMARY KEY, slug TEXT, text TEXT);
CREATE UNIQUE INDEX note_slug ON note (slug);
CREATE TRIGGER note_kept BEFORE UPDATE ON note BEGIN SELECT raise(ABORT, 'kept'); END;
-- change
CREATE TABLE `__new_note` (id TEXT PRIMARY KEY, slug TEXT, text TEXT DEFAULT '');
--> statement-breakpoint
INSERT INTO `__new_note`("id", "slug", "text") SELECT "id", "slug", "text" FROM `note`;--> statement-breakpoint
DROP TABLE `note`;--> statement-breakpoint
ALTER TABLE `__new_note` RENAME TO `note`;
