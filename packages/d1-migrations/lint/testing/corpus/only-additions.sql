-- Tables, columns and indexes are added
-- Seen: drizzle-kit 0.31
-- On D1: keeps
-- Lint: nothing
-- before
CREATE TABLE `user` (`id` text PRIMARY KEY NOT NULL, `name` text, `email` text NOT NULL);
CREATE UNIQUE INDEX `user_email_unique` ON `user` (`email`);
CREATE TABLE `session` (`id` text PRIMARY KEY NOT NULL, `token` text NOT NULL, `user_id` text NOT NULL, FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade);
CREATE TABLE `account` (`id` text PRIMARY KEY NOT NULL, `password` text, `user_id` text NOT NULL, FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade);
-- change
CREATE TABLE `team` (`id` text PRIMARY KEY NOT NULL, `name` text NOT NULL);--> statement-breakpoint
CREATE UNIQUE INDEX `team_name` ON `team` (`name`);--> statement-breakpoint
ALTER TABLE `user` ADD `team_id` text REFERENCES team(id);--> statement-breakpoint
CREATE INDEX `user_team` ON `user` (`team_id`);--> statement-breakpoint
INSERT INTO `team` VALUES ('t1', 'Ours');
