import type { Loss } from "../../rehearsal/losses.ts"
import { isSameName } from "../../rehearsal/schema.ts"
import type { Found, Rule } from "../rule.ts"
import type { Trial } from "../trial.ts"
import { guessedParent, isGuessed } from "../unknown-tables.ts"

export const cascadeParent: Rule = {
  name: "cascade-parent",
  finds: "a drop, rebuild or rewrite of a table that others refer to, which takes their rows along",
  why: "D1 enforces foreign keys in every migration: `PRAGMA foreign_keys = OFF` does nothing inside a request, and `PRAGMA defer_foreign_keys = ON` defers checks, not `ON DELETE`. So `DROP TABLE` deletes or empties the rows that refer to the table, or fails.",
  example: {
    schema:
      "CREATE TABLE user (id TEXT PRIMARY KEY, plan TEXT);\nCREATE TABLE session (id TEXT PRIMARY KEY, user_id TEXT REFERENCES user (id) ON DELETE CASCADE);",
    sql: "CREATE TABLE __new_user (id TEXT PRIMARY KEY, plan TEXT NOT NULL);\nINSERT INTO __new_user SELECT id, coalesce(plan, 'free') FROM user;\nDROP TABLE user;\nALTER TABLE __new_user RENAME TO user;",
    instead:
      "PRAGMA defer_foreign_keys = ON;\nCREATE TABLE __old_user AS SELECT * FROM user;\nUPDATE user SET id = 'moved:' || id;\nDROP TABLE user;\nCREATE TABLE user (id TEXT PRIMARY KEY, plan TEXT NOT NULL);\nINSERT INTO user SELECT id, coalesce(plan, 'free') FROM __old_user;\nDROP TABLE __old_user;",
  },
  find: findTakenRows,
}

const rewrite =
  "Move the keys of the table away before it is dropped, so that no row refers to it: `./accounts database fix FILE` writes that. Rows that shall go are deleted in words first (DELETE FROM)."

function findTakenRows({ steps, losses, blocked }: Trial): Found[] {
  const step = steps.find(({ number }) => number === blocked?.statement)
  if (blocked !== undefined && step !== undefined) {
    const message = `fails as soon as rows refer to ${blocked.table}: FOREIGN KEY constraint failed`
    return [{ step, level: "error", message, rewrite }]
  }
  return [...Map.groupBy(losses, ({ statement }) => statement)].flatMap(([number, lost]) => {
    const at = steps.find((one) => one.number === number)
    if (at === undefined) return []
    const known = lost.filter(({ table }) => !isGuessed(table))
    if (known.length > 0) {
      return [
        { step: at, level: "error" as const, message: known.map(describe).join("; "), rewrite },
      ]
    }
    const parents = lost.map(({ table }) => guessedParent(table)).join(", ")
    const message = `rows of every table that refers to ${parents} would go, and the files before this one, which say whether one does, are not here`
    const advice = `${rewrite} If no table refers to it, show that: lint the file in the folder of all migrations, or give the schema with --schema.`
    return [{ step: at, level: "error" as const, message, rewrite: advice }]
  })
}

function describe({ table, columns, keys, cause }: Loss): string {
  const direct = keys.filter(({ parent }) => isSameName(parent, cause))
  const by = (direct.length > 0 ? direct : keys)
    .map((key) => `${key.columns.join(", ")} → ${key.parent} ON DELETE ${key.onDelete}`)
    .join(", ")
  return columns === undefined
    ? `rows of ${table} are deleted (${by})`
    : `${columns.map((name) => `${table}.${name}`).join(", ")} is emptied (${by})`
}
