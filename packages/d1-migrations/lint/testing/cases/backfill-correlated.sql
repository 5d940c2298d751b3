-- Harm: no
-- Lint: compared
-- Up: sends
-- before
CREATE TABLE `user` (`id` text PRIMARY KEY NOT NULL, `name` text NOT NULL, `email` text NOT NULL, `role` text DEFAULT 'member', `created_at` integer DEFAULT (unixepoch()) NOT NULL);
CREATE UNIQUE INDEX `user_email_unique` ON `user` (`email`);
CREATE TABLE `session` (`id` text PRIMARY KEY NOT NULL, `token` text NOT NULL, `user_id` text NOT NULL, `at` integer, FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade);
CREATE INDEX `session_user` ON `session` (`user_id`);
CREATE TABLE `setting` (`key` text PRIMARY KEY NOT NULL, `value` text);
CREATE TABLE `note` (`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL, `text` text, `author` text);
-- rows
INSERT INTO user VALUES ('u1','Ada','a@x','admin',1),('u2','Bob','b@x','member',2); INSERT INTO session VALUES ('s1','t1','u1',1),('s2','t2','u2',2); INSERT INTO setting VALUES ('theme','dark'); INSERT INTO note VALUES (1,'one','Ada'),(2,NULL,'Bob');
-- change
ALTER TABLE note ADD COLUMN user_id TEXT REFERENCES user (id);
UPDATE note SET user_id = (SELECT id FROM user WHERE user.name = note.author);
