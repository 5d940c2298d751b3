-- Children first, keys on again, then the parent
-- Seen: drizzle-team/drizzle-orm#5469
-- On D1: loses
-- Lint: error cascade-parent; warning transaction
-- before
CREATE TABLE `user` (`id` text PRIMARY KEY NOT NULL, `name` text, `email` text NOT NULL);
CREATE UNIQUE INDEX `user_email_unique` ON `user` (`email`);
CREATE TABLE `session` (`id` text PRIMARY KEY NOT NULL, `token` text NOT NULL, `user_id` text NOT NULL, FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade);
CREATE TABLE `account` (`id` text PRIMARY KEY NOT NULL, `password` text, `user_id` text NOT NULL, FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade);
-- change
PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_account` (`id` text PRIMARY KEY NOT NULL, `password` text, `user_id` text NOT NULL, `scope` text, FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON DELETE cascade);
--> statement-breakpoint
INSERT INTO `__new_account`("id", "password", "user_id") SELECT "id", "password", "user_id" FROM `account`;--> statement-breakpoint
DROP TABLE `account`;--> statement-breakpoint
ALTER TABLE `__new_account` RENAME TO `account`;--> statement-breakpoint
PRAGMA foreign_keys=ON;--> statement-breakpoint
CREATE TABLE `__new_session` (`id` text PRIMARY KEY NOT NULL, `token` text NOT NULL, `user_id` text NOT NULL, FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON DELETE cascade);
--> statement-breakpoint
INSERT INTO `__new_session`("id", "token", "user_id") SELECT "id", "token", "user_id" FROM `session`;--> statement-breakpoint
DROP TABLE `session`;--> statement-breakpoint
ALTER TABLE `__new_session` RENAME TO `session`;--> statement-breakpoint
CREATE TABLE `__new_user` (`id` text PRIMARY KEY NOT NULL, `name` text, `email` text NOT NULL);
--> statement-breakpoint
INSERT INTO `__new_user`("id", "name", "email") SELECT "id", "name", "email" FROM `user`;--> statement-breakpoint
DROP TABLE `user`;--> statement-breakpoint
ALTER TABLE `__new_user` RENAME TO `user`;--> statement-breakpoint
CREATE UNIQUE INDEX `user_email_unique` ON `user` (`email`);
