-- Prisma's rebuild of a table to which nothing refers
-- Seen: prisma/prisma
-- On D1: keeps
-- Lint: warning transaction
-- before
CREATE TABLE "Card" ("id" TEXT NOT NULL PRIMARY KEY, "question" TEXT NOT NULL);
-- change
-- RedefineTables
PRAGMA defer_foreign_keys=ON;
PRAGMA foreign_keys=OFF;
CREATE TABLE "new_Card" ("id" TEXT NOT NULL PRIMARY KEY, "question" TEXT NOT NULL, "ease" REAL NOT NULL DEFAULT 2.5);
INSERT INTO "new_Card" ("id", "question") SELECT "id", "question" FROM "Card";
DROP TABLE "Card";
ALTER TABLE "new_Card" RENAME TO "Card";
PRAGMA foreign_keys=ON;
PRAGMA defer_foreign_keys=OFF;
