-- Harm: no
-- Lint: compared
-- Up: sends
-- before
CREATE TABLE memo (id TEXT PRIMARY KEY NOT NULL, text TEXT);
-- rows
INSERT INTO memo VALUES ('n1','memo 1'),('m2','memo 2');
-- change
PRAGMA defer_foreign_keys=ON;
PRAGMA foreign_keys=OFF;
CREATE TABLE "new_memo" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "text" TEXT NOT NULL DEFAULT ''
);
INSERT INTO "new_memo" ("id", "text") SELECT "id", coalesce("text", '') AS "text" FROM "memo";
DROP TABLE "memo";
ALTER TABLE "new_memo" RENAME TO "memo";
PRAGMA foreign_keys=ON;
PRAGMA defer_foreign_keys=OFF;
