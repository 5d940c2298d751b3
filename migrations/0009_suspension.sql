ALTER TABLE `user` ADD `suspended_at` integer;--> statement-breakpoint
ALTER TABLE `user` ADD `suspended_for` text;--> statement-breakpoint
-- For versions that know nothing of it, beside the next one or after a rollback. A minute is for requests under way;
-- rows from before it, as a restore of the database inserts them, stay what they are.
CREATE TRIGGER `session_of_suspended` BEFORE INSERT ON `session`
WHEN EXISTS (SELECT 1 FROM `user` WHERE `id` = new.`user_id` AND `suspended_at` < new.`created_at` + 60000)
BEGIN SELECT raise(ABORT, 'the account is suspended'); END;
