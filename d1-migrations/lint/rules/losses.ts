import type { Names } from "../../names.ts"
import type { Loss } from "../../provenance/losses.ts"
import { ofReferences } from "../../provenance/run.ts"
import { tableIn } from "../../provenance/syntax.ts"
import { classOf, declarationFor, describeLoss } from "../../provenance/wording.ts"
import type { Found, Rule } from "../rule.ts"
import type { Step, Trial } from "../trial.ts"

export const cascadeParent: Rule = {
  name: "cascade-parent",
  finds: "a drop, rebuild or rewrite of a table that others refer to, which takes their rows along",
  why: "D1 enforces foreign keys in every migration: `PRAGMA foreign_keys = OFF` does nothing inside a request, and `PRAGMA defer_foreign_keys = ON` defers checks, not `ON DELETE`. So `DROP TABLE` deletes or empties the rows that refer to the table, or fails. A trigger that a statement sets off may do the same.",
  example: {
    schema:
      "CREATE TABLE user (id TEXT PRIMARY KEY, plan TEXT);\nCREATE TABLE session (id TEXT PRIMARY KEY, user_id TEXT REFERENCES user (id) ON DELETE CASCADE);",
    sql: "CREATE TABLE __new_user (id TEXT PRIMARY KEY, plan TEXT NOT NULL);\nINSERT INTO __new_user SELECT id, coalesce(plan, 'free') FROM user;\nDROP TABLE user;\nALTER TABLE __new_user RENAME TO user;",
    instead:
      "PRAGMA defer_foreign_keys = ON;\nCREATE TABLE __old_user AS SELECT * FROM user;\nUPDATE user SET id = 'moved:' || id;\nDROP TABLE user;\nCREATE TABLE user (id TEXT PRIMARY KEY, plan TEXT NOT NULL);\nINSERT INTO user SELECT id, coalesce(plan, 'free') FROM __old_user;\nDROP TABLE __old_user;",
  },
  find: (trial) => [...found(trial, (loss) => loss.byReference), ...blockedByReferences(trial)],
}

export const lostRows: Rule = {
  name: "lost-rows",
  finds: "rows that are nowhere when the file has run",
  why: "A DELETE takes rows for good, and so does a DROP of a table that no statement has copied whole. A copy leaves rows behind through WHERE, a join, DISTINCT, LIMIT, OR IGNORE, or a constraint that replaces.",
  example: {
    schema: "CREATE TABLE note (id TEXT PRIMARY KEY, text TEXT, at INTEGER);",
    sql: "CREATE TABLE __new_note (id TEXT PRIMARY KEY, text TEXT NOT NULL, at INTEGER);\nINSERT INTO __new_note SELECT id, text, at FROM note WHERE text IS NOT NULL;\nDROP TABLE note;\nALTER TABLE __new_note RENAME TO note;",
    instead:
      "CREATE TABLE __new_note (id TEXT PRIMARY KEY, text TEXT NOT NULL, at INTEGER);\nINSERT INTO __new_note SELECT id, coalesce(text, ''), at FROM note;\nDROP TABLE note;\nALTER TABLE __new_note RENAME TO note;",
  },
  find: (trial) => found(trial, (loss) => !loss.byReference && loss.kind === "row"),
}

export const lostValues: Rule = {
  name: "lost-values",
  finds: "values that are nowhere when the file has run, though the rest of their rows is",
  why: "A rebuild whose copy forgets a column, or names columns in another order, keeps every row and loses what they held. So does an UPDATE that writes a constant, and DROP COLUMN.",
  example: {
    schema: "CREATE TABLE note (id TEXT PRIMARY KEY, text TEXT, kind TEXT);",
    sql: "CREATE TABLE __new_note (id TEXT PRIMARY KEY, text TEXT, kind TEXT DEFAULT '');\nINSERT INTO __new_note (id, text) SELECT id, text FROM note;\nDROP TABLE note;\nALTER TABLE __new_note RENAME TO note;",
    instead:
      "CREATE TABLE __new_note (id TEXT PRIMARY KEY, text TEXT, kind TEXT DEFAULT '');\nINSERT INTO __new_note (id, text, kind) SELECT id, text, kind FROM note;\nDROP TABLE note;\nALTER TABLE __new_note RENAME TO note;",
  },
  find: (trial) =>
    found(trial, (loss) => !loss.byReference && (loss.kind === "value" || loss.kind === "link")),
}

export const changedValues: Rule = {
  name: "changed-values",
  finds: "values that are others when the file has run",
  why: "The old values are not kept, and a type changes values, too: in a column of numbers '007' becomes 7. Trimming, lower case and what stands in place of NULL are only said.",
  example: {
    schema: "CREATE TABLE price (id INTEGER PRIMARY KEY, cents INTEGER);",
    sql: "UPDATE price SET cents = cents * 100;",
    instead:
      "-- d1:changes price.cents: prices were kept in whole units until now\nUPDATE price SET cents = cents * 100;",
  },
  find: (trial) =>
    found(trial, (loss) => !loss.byReference && (loss.kind === "change" || loss.kind === "tidied")),
}

export const lostParts: Rule = {
  name: "lost-parts",
  finds:
    "indexes, triggers, checks, references, defaults and collations that go along with a table",
  why: "DROP TABLE takes them along, and a rebuild makes only those again that it names. What a DROP INDEX names goes on purpose; of a trigger or view that stays away, that has to be said. The numbers of AUTOINCREMENT start anew in every rebuild, which is a warning.",
  example: {
    schema:
      "CREATE TABLE tag (id INTEGER PRIMARY KEY, slug TEXT);\nCREATE UNIQUE INDEX tag_slug ON tag (slug);",
    sql: "CREATE TABLE __new_tag (id INTEGER PRIMARY KEY, slug TEXT, at INTEGER);\nINSERT INTO __new_tag (id, slug) SELECT id, slug FROM tag;\nDROP TABLE tag;\nALTER TABLE __new_tag RENAME TO tag;",
    instead:
      "CREATE TABLE __new_tag (id INTEGER PRIMARY KEY, slug TEXT, at INTEGER);\nINSERT INTO __new_tag (id, slug) SELECT id, slug FROM tag;\nDROP TABLE tag;\nALTER TABLE __new_tag RENAME TO tag;\nCREATE UNIQUE INDEX tag_slug ON tag (slug);",
  },
  find: (trial) => found(trial, (loss) => loss.kind === "part"),
}

function found(trial: Trial, is: (loss: Loss) => boolean): Found[] {
  return trial.losses.filter(is).flatMap((loss): Found[] => {
    const step = trial.steps.find(({ number }) => number === loss.statement)
    if (step === undefined) return []
    const level = classOf(loss) === "tidies" ? "warning" : "error"
    const [message, rewrite] = [describeLoss(loss), rewriteOf(loss, trial.own)]
    return [{ step, at: placeIn(step), level, message, rewrite, loss }]
  })
}

function placeIn({ node }: Step): number {
  return (node === undefined ? undefined : tableIn(node))?.span.offset ?? 0
}

function moveKeys({ command }: Names): string {
  return `Move the keys of the table away before it is dropped, so that no row refers to it: \`${command} fix FILE\` writes that. Rows that shall go are deleted in words first (DELETE FROM).`
}

function rewriteOf(loss: Loss, own: Names): string {
  if (loss.byReference) return moveKeys(own)
  const declaration = declarationFor(loss)
  const declared =
    declaration === undefined
      ? ""
      : ` If it is meant, say so: -- ${own.declarations}:${declaration}: REASON`
  if (classOf(loss) === "tidies") return "Nothing has to be done if that is meant."
  if (loss.kind === "part") {
    return loss.broken
      ? "Create it anew for what the file leaves."
      : `Create it again after the rebuild.${declared}`
  }
  if (loss.kind === "row") return `Copy every row whole before, or leave the table.${declared}`
  if (loss.kind === "change") return `Write to a new column, and keep this one.${declared}`
  return `Name ${loss.column} in both lists of the copy, or keep its values in another column.${declared}`
}

function blockedByReferences({ steps, blocked, own }: Trial): Found[] {
  const step = steps.find(({ number }) => number === blocked?.statement)
  if (step === undefined || blocked?.message !== ofReferences) return []
  const message = `fails as soon as other rows refer to those of the table: ${ofReferences}`
  return [{ step, at: placeIn(step), level: "error", message, rewrite: moveKeys(own) }]
}
