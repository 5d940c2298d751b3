-- Everything copied, dropped children first, made again parents first
-- Seen: hand-written
-- On D1: keeps
-- Lint: nothing
-- before
CREATE TABLE `user` (`id` text PRIMARY KEY NOT NULL, `name` text, `email` text NOT NULL);
CREATE UNIQUE INDEX `user_email_unique` ON `user` (`email`);
CREATE TABLE `session` (`id` text PRIMARY KEY NOT NULL, `token` text NOT NULL, `user_id` text NOT NULL, FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade);
CREATE TABLE `account` (`id` text PRIMARY KEY NOT NULL, `password` text, `user_id` text NOT NULL, FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade);
-- change
CREATE TABLE __bak_user AS SELECT * FROM user;
CREATE TABLE __bak_session AS SELECT * FROM session;
CREATE TABLE __bak_account AS SELECT * FROM account;
DROP TABLE session;
DROP TABLE account;
DROP TABLE user;
CREATE TABLE user (id text PRIMARY KEY NOT NULL, name text, email text NOT NULL UNIQUE);
CREATE TABLE session (id text PRIMARY KEY NOT NULL, token text NOT NULL, user_id text NOT NULL REFERENCES user (id) ON DELETE CASCADE);
CREATE TABLE account (id text PRIMARY KEY NOT NULL, password text, user_id text NOT NULL REFERENCES user (id) ON DELETE CASCADE);
INSERT INTO user SELECT * FROM __bak_user;
INSERT INTO session SELECT * FROM __bak_session;
INSERT INTO account SELECT * FROM __bak_account;
DROP TABLE __bak_user;
DROP TABLE __bak_session;
DROP TABLE __bak_account;
CREATE UNIQUE INDEX user_email_unique ON user (email);
