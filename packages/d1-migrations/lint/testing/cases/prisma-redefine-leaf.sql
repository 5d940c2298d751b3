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
-- RedefineTables
PRAGMA defer_foreign_keys=ON;
PRAGMA foreign_keys=OFF;
CREATE TABLE "new_session" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "token" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "at" INTEGER,
    "ip" TEXT,
    CONSTRAINT "session_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);
INSERT INTO "new_session" ("at", "id", "token", "user_id") SELECT "at", "id", "token", "user_id" FROM "session";
DROP TABLE "session";
ALTER TABLE "new_session" RENAME TO "session";
CREATE INDEX "session_user" ON "session"("user_id");
PRAGMA foreign_keys=ON;
PRAGMA defer_foreign_keys=OFF;
