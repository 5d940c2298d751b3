-- Harm: no
-- Lint: declared
-- Up: sends
-- before
CREATE TABLE `user` (`id` text PRIMARY KEY NOT NULL, `name` text NOT NULL, `email` text NOT NULL, `role` text DEFAULT 'member', `created_at` integer DEFAULT (unixepoch()) NOT NULL);
CREATE UNIQUE INDEX `user_email_unique` ON `user` (`email`);
CREATE TABLE `session` (`id` text PRIMARY KEY NOT NULL, `token` text NOT NULL, `user_id` text NOT NULL, `at` integer, FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade);
CREATE INDEX `session_user` ON `session` (`user_id`);
CREATE TABLE `setting` (`key` text PRIMARY KEY NOT NULL, `value` text);
CREATE TABLE `note` (`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL, `text` text, `author` text);
CREATE TABLE person (id TEXT PRIMARY KEY, name TEXT, kind TEXT NOT NULL);
-- rows
INSERT INTO user VALUES ('u1','Ada','a@x','admin',1),('u2','Bob','b@x','member',2); INSERT INTO session VALUES ('s1','t1','u1',1),('s2','t2','u2',2); INSERT INTO setting VALUES ('theme','dark'); INSERT INTO note VALUES (1,'one','Ada'),(2,NULL,'Bob');INSERT INTO person VALUES ('p1','x','admin'),('p2','y','m');
-- change
-- d1:loses person, at most 0 rows: decided in the ticket
-- d1:loses person.kind: decided in the ticket
CREATE TABLE admin (id TEXT PRIMARY KEY, name TEXT);
CREATE TABLE member (id TEXT PRIMARY KEY, name TEXT);
INSERT INTO admin SELECT id, name FROM person WHERE kind = 'admin';
INSERT INTO member SELECT id, name FROM person WHERE kind <> 'admin';
DROP TABLE person;
