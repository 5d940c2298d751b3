-- Harm: no
-- Lint: compared
-- Up: sends
-- before
CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT); CREATE TABLE post (id INTEGER PRIMARY KEY, author_id INTEGER, t TEXT);
-- rows
INSERT INTO author VALUES (1,'a'),(2,'b'); INSERT INTO post VALUES (1,1,'x'),(2,2,'y'),(3,NULL,'z');
-- change
PRAGMA foreign_keys=OFF;
CREATE TABLE `__new_post` (`id` integer PRIMARY KEY, `author_id` integer, `t` text, FOREIGN KEY (`author_id`) REFERENCES `author`(`id`) ON UPDATE no action ON DELETE no action);
INSERT INTO `__new_post`("id", "author_id", "t") SELECT "id", "author_id", "t" FROM `post`;
DROP TABLE `post`;
ALTER TABLE `__new_post` RENAME TO `post`;
PRAGMA foreign_keys=ON;
