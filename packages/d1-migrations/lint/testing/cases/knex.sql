-- Harm: no
-- Lint: compared
-- Up: sends
-- before
CREATE TABLE memo (id TEXT PRIMARY KEY NOT NULL, text TEXT);
-- rows
INSERT INTO memo VALUES ('n1','memo 1'),('m2','memo 2');
-- change
CREATE TABLE `_knex_temp_alter1` (`id` TEXT PRIMARY KEY NOT NULL, `text` varchar(255));
INSERT INTO "_knex_temp_alter1" SELECT * FROM "memo";
DROP TABLE "memo";
ALTER TABLE "_knex_temp_alter1" RENAME TO "memo";
