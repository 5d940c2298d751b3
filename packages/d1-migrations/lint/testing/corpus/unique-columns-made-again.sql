-- Inline UNIQUE replaces unique indexes
-- Seen: kyh/vibedgames#363
-- On D1: loses
-- Lint: error cascade-parent; warning transaction
-- before
CREATE TABLE `user` (`id` text PRIMARY KEY NOT NULL, `name` text, `email` text NOT NULL);
CREATE UNIQUE INDEX `user_email_unique` ON `user` (`email`);
CREATE TABLE `session` (`id` text PRIMARY KEY NOT NULL, `token` text NOT NULL, `user_id` text NOT NULL, FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade);
CREATE TABLE `account` (`id` text PRIMARY KEY NOT NULL, `password` text, `user_id` text NOT NULL, FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade);
-- change
PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_user` (`id` text PRIMARY KEY, `name` text, `email` text NOT NULL UNIQUE);
--> statement-breakpoint
INSERT INTO `__new_user`("id", "name", "email") SELECT "id", "name", "email" FROM `user`;--> statement-breakpoint
DROP TABLE `user`;--> statement-breakpoint
ALTER TABLE `__new_user` RENAME TO `user`;--> statement-breakpoint
PRAGMA foreign_keys=ON;
