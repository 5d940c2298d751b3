-- One child is put back, the other forgotten
-- Seen: drizzle-team/drizzle-orm#5074
-- On D1: loses
-- Lint: error cascade-parent; error lost-parts
-- before
CREATE TABLE `user` (`id` text PRIMARY KEY NOT NULL, `name` text, `email` text NOT NULL);
CREATE UNIQUE INDEX `user_email_unique` ON `user` (`email`);
CREATE TABLE `session` (`id` text PRIMARY KEY NOT NULL, `token` text NOT NULL, `user_id` text NOT NULL, FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade);
CREATE TABLE `account` (`id` text PRIMARY KEY NOT NULL, `password` text, `user_id` text NOT NULL, FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade);
-- change
CREATE TABLE `__backup_session` AS SELECT * FROM `session`;
CREATE TABLE `__new_user` (`id` text PRIMARY KEY NOT NULL, `name` text DEFAULT '', `email` text NOT NULL);
--> statement-breakpoint
INSERT INTO `__new_user`("id", "name", "email") SELECT "id", "name", "email" FROM `user`;--> statement-breakpoint
DROP TABLE `user`;--> statement-breakpoint
ALTER TABLE `__new_user` RENAME TO `user`;
INSERT INTO `session` SELECT * FROM `__backup_session`;
DROP TABLE `__backup_session`;
