-- A rebuild with a required column that the copy leaves out
-- Seen: prisma/prisma
-- On D1: fails
-- Lint: error fails-on-rows
-- before
CREATE TABLE "Deal" ("id" INTEGER NOT NULL PRIMARY KEY);
-- change
CREATE TABLE "new_Deal" ("id" INTEGER NOT NULL PRIMARY KEY, "isDeleted" BOOLEAN NOT NULL);
INSERT INTO "new_Deal" ("id") SELECT "id" FROM "Deal";
DROP TABLE "Deal";
ALTER TABLE "new_Deal" RENAME TO "Deal";
