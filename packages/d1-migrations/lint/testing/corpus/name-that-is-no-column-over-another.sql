-- A renamed column is filled with its own new name
-- Seen: drizzle-kit 0.31
-- On D1: loses
-- Lint: error changed-values
-- before
CREATE TABLE note (id TEXT PRIMARY KEY, body TEXT);
-- change
CREATE TABLE `__new_note` (id TEXT PRIMARY KEY, body TEXT NOT NULL);
INSERT INTO `__new_note`("id", "body") SELECT "id", "text" FROM `note`;
DROP TABLE note;
ALTER TABLE `__new_note` RENAME TO note;
