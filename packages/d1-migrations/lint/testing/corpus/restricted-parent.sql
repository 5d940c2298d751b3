-- Prisma's rebuild of a parent with ON DELETE RESTRICT, which forgets what was deferred
-- Seen: prisma/prisma
-- On D1: keeps
-- Lint: error cascade-parent; warning lost-parts; warning transaction
-- before
CREATE TABLE "Inquiry" ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "status" TEXT);
CREATE TABLE "InquiryLog" ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "inquiryId" INTEGER NOT NULL, CONSTRAINT "fk" FOREIGN KEY ("inquiryId") REFERENCES "Inquiry" ("id") ON DELETE RESTRICT ON UPDATE CASCADE);
-- change
PRAGMA defer_foreign_keys=ON;
PRAGMA foreign_keys=OFF;
CREATE TABLE "new_Inquiry" ("id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, "status" TEXT NOT NULL DEFAULT 'new');
INSERT INTO "new_Inquiry" ("id", "status") SELECT "id", coalesce("status", 'new') AS "status" FROM "Inquiry";
DROP TABLE "Inquiry";
ALTER TABLE "new_Inquiry" RENAME TO "Inquiry";
PRAGMA foreign_keys=ON;
PRAGMA defer_foreign_keys=OFF;
