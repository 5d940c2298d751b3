import { expect, test } from "vitest"

import { moreStatements } from "./testing/more-statements.ts"

test.each([
  "CREATE TABLE post (id TEXT PRIMARY KEY, user_id TEXT REFERENCES user (id) ON DELETE CASCADE);",
  "ALTER TABLE user ADD COLUMN image TEXT;",
  "ALTER TABLE user ADD COLUMN plan TEXT NOT NULL DEFAULT 'free';",
  "CREATE INDEX user_n ON user (n); CREATE UNIQUE INDEX session_user ON session (user_id);",
  "CREATE VIEW mails AS SELECT email FROM user;",
  "CREATE TRIGGER t AFTER INSERT ON user BEGIN UPDATE user SET n = 0 WHERE id = NEW.id; END;",
  "INSERT INTO user (id) VALUES ('seed');",
  // On a schema without rows it fails: the row that it refers to is not there.
  "INSERT INTO session (user_id) VALUES ('one who is there');",
  "CREATE TABLE tag (id TEXT); INSERT INTO tag VALUES ('a'); UPDATE tag SET id = 'b'; DELETE FROM tag; DROP TABLE tag;",
])("not one statement more is sent with %s", (sql) => {
  expect(moreStatements(sql)).toBe(0)
})

test("a file that takes rows or values carries what finds that", () => {
  expect(moreStatements("UPDATE user SET n = 0 WHERE n IS NULL;")).toBe(6)
  expect(moreStatements("INSERT OR IGNORE INTO user (id) VALUES ('seed');")).toBe(0)
  expect(moreStatements("REPLACE INTO user (id) VALUES ('seed');")).toBeGreaterThan(0)
})
