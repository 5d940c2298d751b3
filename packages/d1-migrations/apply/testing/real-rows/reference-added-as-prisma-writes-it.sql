-- Harm: no
-- Lint: compared
-- Up: sends
-- before
CREATE TABLE author (id TEXT PRIMARY KEY, name TEXT); CREATE TABLE post (id INTEGER PRIMARY KEY, author_id TEXT NOT NULL, t TEXT);
-- rows
INSERT INTO author VALUES ('1','a'),('2','b'); INSERT INTO post VALUES (1,'1','x'),(2,'2','y');
-- change
PRAGMA defer_foreign_keys=ON;
CREATE TABLE "new_post" ("id" INTEGER NOT NULL PRIMARY KEY, "author_id" TEXT NOT NULL, t TEXT, CONSTRAINT fk FOREIGN KEY ("author_id") REFERENCES "author" ("id") ON DELETE RESTRICT ON UPDATE CASCADE);
INSERT INTO "new_post" ("id", "author_id", "t") SELECT "id", "author_id", "t" FROM "post";
DROP TABLE "post";
ALTER TABLE "new_post" RENAME TO "post";
PRAGMA defer_foreign_keys=OFF;
