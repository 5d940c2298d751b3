import { expect, test } from "vitest"

import { parseMigration } from "../files/migration-files.ts"
import { classOf as classOfLoss } from "../provenance/wording.ts"
import { openScratchDatabase } from "../schema/scratch-database.ts"
import { classify } from "./classification.ts"

const schema = `
CREATE TABLE user (id TEXT PRIMARY KEY, email TEXT NOT NULL, plan TEXT NOT NULL DEFAULT 'free', CHECK (plan <> ''));
CREATE UNIQUE INDEX user_email ON user (email);
CREATE TRIGGER user_plan BEFORE UPDATE ON user WHEN NEW.plan = 'x' BEGIN SELECT RAISE(ABORT, 'no'); END;
CREATE TABLE session (id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE, expires_at INTEGER);
CREATE TABLE log (id INTEGER PRIMARY KEY, line TEXT, level TEXT);
CREATE VIEW names AS SELECT email FROM user;
`

function classOf(sql: string) {
  using before = openScratchDatabase()
  before.exec(schema)
  return withLosses(classify(before, parseMigration("0001_change.sql", Buffer.from(sql))))
}

/** With what it takes in few words. */
function withLosses(found: ReturnType<typeof classify>) {
  const { losses } = found.trial
  return {
    ...found,
    loses: losses.flatMap((loss) => {
      if (loss.kind === "part" || loss.kind === "tidied") return []
      const { table, column, statement } = loss
      return column === undefined ? [{ table, statement }] : [{ table, column, statement }]
    }),
    lostObjects: losses.flatMap((loss) =>
      loss.kind === "part" && classOfLoss(loss) === "loses" ? loss.part.name : [],
    ),
  }
}

const rebuildSession = `CREATE TABLE __new_session (id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE, expires_at INTEGER);
INSERT INTO __new_session SELECT id, user_id, expires_at FROM session;
DROP TABLE session; ALTER TABLE __new_session RENAME TO session;`

const moveKeys = `PRAGMA defer_foreign_keys = ON; CREATE TABLE __old_user AS SELECT * FROM user;
UPDATE user SET id = 'moved:' || id; DROP VIEW names; DROP TABLE user;
CREATE TABLE user (id TEXT PRIMARY KEY, email TEXT NOT NULL, plan TEXT NOT NULL DEFAULT 'free');
INSERT INTO user SELECT * FROM __old_user; DROP TABLE __old_user;
CREATE UNIQUE INDEX user_email ON user (email); CREATE VIEW names AS SELECT email FROM user;`

test.each([
  ["a new table", "CREATE TABLE note (id TEXT);"],
  ["a new column", "ALTER TABLE user ADD COLUMN image TEXT;"],
  ["a new column with a default", "ALTER TABLE user ADD COLUMN age INTEGER NOT NULL DEFAULT 0;"],
  ["a new index", "CREATE INDEX session_user ON session (user_id);"],
  ["a rebuild of a leaf", rebuildSession],
  ["a rebuild of a leaf in other letters", rebuildSession.replaceAll("session", "SESSION")],
  [
    "a rebuild with numbers that SQLite counts",
    "CREATE TABLE n (number INTEGER PRIMARY KEY NOT NULL, id TEXT UNIQUE, user_id TEXT NOT NULL REFERENCES user (id) ON DELETE CASCADE, expires_at INTEGER); INSERT INTO n (id, user_id, expires_at) SELECT * FROM session; DROP TABLE session; ALTER TABLE n RENAME TO session;",
  ],
  ["rows that are added", "INSERT INTO log (line) VALUES ('a');"],
  ["rows that are filled in", "UPDATE log SET level = 'info' WHERE level IS NULL;"],
  [
    "a check that goes",
    `${moveKeys} CREATE TRIGGER user_plan AFTER UPDATE ON user BEGIN SELECT 1; END;`,
  ],
])("%s expands", (_what, sql) => {
  expect(classOf(sql)).toMatchObject({ class: "expand", breaks: [], tightens: [], loses: [] })
})

test("files that only add touch no table of before", () => {
  const sql = `CREATE TABLE note (id TEXT, user_id TEXT REFERENCES user (id) ON DELETE CASCADE);
    INSERT INTO note VALUES ('n', NULL); UPDATE note SET id = 'm'; DELETE FROM note;
    ALTER TABLE user ADD COLUMN image TEXT; CREATE INDEX a ON user (plan); DROP TABLE note;`
  expect(classOf(sql)).toMatchObject({
    class: "expand",
    reach: { touched: [], taken: [] },
    loses: [],
  })
})

test.each([
  [
    "a renamed column",
    "ALTER TABLE log RENAME COLUMN line TO text;",
    { kind: "column", table: "log", column: "line" },
  ],
  ["a renamed table", "ALTER TABLE log RENAME TO entry;", { kind: "table", table: "log" }],
  ["a dropped view", "DROP VIEW names;", { kind: "view", table: "names" }],
  [
    "a rebuild with a column that every INSERT must name",
    "CREATE TABLE n (id INTEGER PRIMARY KEY, line TEXT, level TEXT, at INTEGER NOT NULL); INSERT INTO n SELECT *, 0 FROM log; DROP TABLE log; ALTER TABLE n RENAME TO log;",
    { kind: "required", table: "log", column: "at" },
  ],
  [
    "a table that is moved and dropped",
    "CREATE TABLE entry (id INTEGER PRIMARY KEY, text TEXT, level TEXT); INSERT INTO entry SELECT id, line, level FROM log; DROP TABLE log;",
    { kind: "table", table: "log" },
  ],
])("%s contracts, and loses no row", (_what, sql, one) => {
  expect(classOf(sql)).toMatchObject({ class: "contract", breaks: [one], loses: [] })
})

test.each([
  ["unique", "CREATE UNIQUE INDEX log_line ON log (line);", "line"],
  [
    "not null",
    "CREATE TABLE n (id INTEGER PRIMARY KEY, line TEXT NOT NULL, level TEXT); INSERT INTO n SELECT * FROM log; DROP TABLE log; ALTER TABLE n RENAME TO log;",
    "line",
  ],
  [
    "check",
    "CREATE TABLE n (id INTEGER PRIMARY KEY, line TEXT CHECK (line <> ''), level TEXT); INSERT INTO n SELECT * FROM log; DROP TABLE log; ALTER TABLE n RENAME TO log;",
    "line <> ''",
  ],
  [
    "reference",
    "CREATE TABLE n (id INTEGER PRIMARY KEY, line TEXT REFERENCES user (id), level TEXT); INSERT INTO n SELECT * FROM log; DROP TABLE log; ALTER TABLE n RENAME TO log;",
    "line → user",
  ],
])("a new rule (%s) for a table of before contracts", (kind, sql, detail) => {
  const found = classOf(sql)
  expect(found).toMatchObject({ class: "contract", breaks: [], loses: [] })
  expect(found.tightens).toMatchObject([{ kind, table: "log", detail }])
})

test.each([
  ["a drop", "DROP TABLE log;", { table: "log", statement: 1 }],
  [
    "a DELETE of some rows",
    "SELECT 1; DELETE FROM log WHERE level = 'debug';",
    { table: "log", statement: 2 },
  ],
  [
    "a rebuild that forgets the rows",
    "DROP TABLE log; CREATE TABLE log (id INTEGER PRIMARY KEY, line TEXT, level TEXT);",
    { table: "log", statement: 1 },
  ],
  [
    "a dropped column",
    "ALTER TABLE log DROP COLUMN line;",
    { table: "log", column: "line", statement: 1 },
  ],
  [
    "a table that is moved without a column and dropped",
    "CREATE TABLE entry (id INTEGER PRIMARY KEY, text TEXT); INSERT INTO entry (id, text) SELECT id, line FROM log; DROP TABLE log;",
    { table: "log", column: "level", statement: 3 },
  ],
  [
    "a rebuild that filters",
    "CREATE TABLE n (id INTEGER PRIMARY KEY, line TEXT, level TEXT); INSERT INTO n SELECT * FROM log WHERE level = 'info'; DROP TABLE log; ALTER TABLE n RENAME TO log;",
    { table: "log", statement: 3 },
  ],
  [
    "a comparison with a double-quoted name that is no column",
    `CREATE TABLE n (id INTEGER PRIMARY KEY, line TEXT, level TEXT); INSERT INTO n SELECT * FROM log WHERE "kind" = 'info'; DROP TABLE log; ALTER TABLE n RENAME TO log;`,
    { table: "log", statement: 3 },
  ],
])("%s is destructive", (_what, sql, loss) => {
  expect(classOf(sql)).toMatchObject({ class: "destructive", loses: [loss] })
})

test.each([
  ["a rebuild", rebuildSession, ["session"]],
  ["a delete that foreign keys follow", "DELETE FROM user WHERE plan = 'x';", ["user", "session"]],
  ["a new value", "UPDATE log SET level = 'info' WHERE level IS NULL;", ["log"]],
  ["a replacement", "REPLACE INTO log VALUES (1, 'a', 'b');", ["log"]],
  ["new rows", "INSERT INTO log (line) VALUES ('a');", []],
  ["new columns", "ALTER TABLE log ADD COLUMN at INTEGER;", []],
  ["what cannot be tried here", "SELECT unheard_of();", ["log", "session", "user"]],
])("%s may take rows or values of the tables that it says", (_what, sql, taken) => {
  expect(classOf(sql).reach.taken).toEqual(taken)
})

test("a trigger and a unique index that a rebuild forgets are named, and of those dropped in words the trigger", () => {
  const forgetful = moveKeys.replace("CREATE UNIQUE INDEX user_email ON user (email);", "")
  // The user is its check.
  expect(classOf(forgetful).lostObjects).toEqual(["user_plan", "user_email", "user"])
  expect(
    classOf(`DROP TRIGGER user_plan; DROP INDEX user_email; ${forgetful}`).lostObjects,
  ).toEqual(["user_plan", "user"])
})
