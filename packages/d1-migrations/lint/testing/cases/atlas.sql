-- Harm: no
-- Lint: compared
-- Up: sends
-- before
CREATE TABLE memo (id TEXT PRIMARY KEY NOT NULL, text TEXT);
-- rows
INSERT INTO memo VALUES ('n1','memo 1'),('m2','memo 2');
-- change
-- Disable the enforcement of foreign-keys constraints
PRAGMA foreign_keys = off;
-- Create "new_memo" table
CREATE TABLE `new_memo` (`id` text NOT NULL, `text` text NULL, `size` integer NOT NULL DEFAULT 0, PRIMARY KEY (`id`));
-- Copy rows from old table "memo" to new temporary table "new_memo"
INSERT INTO `new_memo` (`id`, `text`) SELECT `id`, `text` FROM `memo`;
-- Drop "memo" table after copying rows
DROP TABLE `memo`;
-- Rename temporary table "new_memo" to "memo"
ALTER TABLE `new_memo` RENAME TO `memo`;
-- Enable back the enforcement of foreign-keys constraints
PRAGMA foreign_keys = on;
