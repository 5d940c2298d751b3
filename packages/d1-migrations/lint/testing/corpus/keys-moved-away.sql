-- The form that keeps child rows
-- Seen: docs/migrations.md
-- On D1: keeps
-- Lint: nothing
-- before
CREATE TABLE `user` (`id` text PRIMARY KEY NOT NULL, `name` text, `email` text NOT NULL);
CREATE UNIQUE INDEX `user_email_unique` ON `user` (`email`);
CREATE TABLE `session` (`id` text PRIMARY KEY NOT NULL, `token` text NOT NULL, `user_id` text NOT NULL, FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade);
CREATE TABLE `account` (`id` text PRIMARY KEY NOT NULL, `password` text, `user_id` text NOT NULL, FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade);
-- change
PRAGMA defer_foreign_keys = ON;
CREATE TABLE __old_user AS SELECT * FROM user;
UPDATE user SET id = 'moved:' || id;
DROP TABLE user;
CREATE TABLE user (id text PRIMARY KEY NOT NULL, name text DEFAULT '', email text NOT NULL);
INSERT INTO user SELECT * FROM __old_user;
DROP TABLE __old_user;
CREATE UNIQUE INDEX user_email_unique ON user (email);
