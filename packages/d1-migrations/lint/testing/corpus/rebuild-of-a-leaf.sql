-- drizzle-kit's rebuild of a table to which nothing refers
-- Seen: drizzle-kit 0.31
-- On D1: keeps
-- Lint: warning transaction
-- before
CREATE TABLE `user` (`id` text PRIMARY KEY NOT NULL, `name` text, `email` text NOT NULL);
CREATE UNIQUE INDEX `user_email_unique` ON `user` (`email`);
CREATE TABLE `session` (`id` text PRIMARY KEY NOT NULL, `token` text NOT NULL, `user_id` text NOT NULL, FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade);
CREATE TABLE `account` (`id` text PRIMARY KEY NOT NULL, `password` text, `user_id` text NOT NULL, FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade);
-- change
PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_session` (`id` text PRIMARY KEY NOT NULL, `token` text NOT NULL, `user_id` text NOT NULL, `ip` text, FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON DELETE cascade);
--> statement-breakpoint
INSERT INTO `__new_session`("id", "token", "user_id") SELECT "id", "token", "user_id" FROM `session`;--> statement-breakpoint
DROP TABLE `session`;--> statement-breakpoint
ALTER TABLE `__new_session` RENAME TO `session`;--> statement-breakpoint
PRAGMA foreign_keys=ON;
