import type { RuleName } from "../statement-rules.ts"

type RuleText = {
  /** The finding, in half a line. */
  finds: string
  /** Why that is a problem on D1, for people. */
  why: string
  /** SQL that it finds, after `schema`. */
  example: { schema: string; sql: string; instead: string }
}

/** The texts of `rules.md` about each rule. */
export const ruleTexts: Record<RuleName, RuleText> = {
  "lost-rows": {
    finds: "rows that are nowhere when the file has run",
    why: "A DELETE takes rows for good, and so does a DROP of a table that no statement has copied. A copy leaves rows behind through WHERE, a join, DISTINCT, LIMIT, OR IGNORE, or a constraint that replaces.",
    example: {
      schema: "CREATE TABLE note (id TEXT PRIMARY KEY, text TEXT, at INTEGER);",
      sql: "CREATE TABLE __new_note (id TEXT PRIMARY KEY, text TEXT NOT NULL, at INTEGER);\nINSERT INTO __new_note SELECT id, text, at FROM note WHERE text IS NOT NULL;\nDROP TABLE note;\nALTER TABLE __new_note RENAME TO note;",
      instead:
        "CREATE TABLE __new_note (id TEXT PRIMARY KEY, text TEXT NOT NULL, at INTEGER);\nINSERT INTO __new_note SELECT id, coalesce(text, ''), at FROM note;\nDROP TABLE note;\nALTER TABLE __new_note RENAME TO note;",
    },
  },
  "lost-values": {
    finds: "values that are nowhere when the file has run, though the rest of their rows is",
    why: "A rebuild whose copy forgets a column, or names columns in another order, keeps every row and loses what they held. So does an UPDATE that writes a constant, and DROP COLUMN.",
    example: {
      schema: "CREATE TABLE note (id TEXT PRIMARY KEY, text TEXT, kind TEXT);",
      sql: "CREATE TABLE __new_note (id TEXT PRIMARY KEY, text TEXT, kind TEXT DEFAULT '');\nINSERT INTO __new_note (id, text) SELECT id, text FROM note;\nDROP TABLE note;\nALTER TABLE __new_note RENAME TO note;",
      instead:
        "CREATE TABLE __new_note (id TEXT PRIMARY KEY, text TEXT, kind TEXT DEFAULT '');\nINSERT INTO __new_note (id, text, kind) SELECT id, text, kind FROM note;\nDROP TABLE note;\nALTER TABLE __new_note RENAME TO note;",
    },
  },
  "changed-values": {
    finds: "values that are others when the file has run",
    why: "The old values are not kept, and a type changes values as well: in a column of numbers '007' becomes 7. Replacing NULL is no change: `WHERE cents IS NULL`, or `coalesce` in a copy.",
    example: {
      schema: "CREATE TABLE price (id INTEGER PRIMARY KEY, cents INTEGER);",
      sql: "UPDATE price SET cents = cents * 100;",
      instead:
        "-- d1:changes price.cents: prices were kept in whole units until now\nUPDATE price SET cents = cents * 100;",
    },
  },
  "lost-parts": {
    finds:
      "indexes, triggers, checks, references, defaults and collations that a rebuild or drop of a table removes",
    why: "DROP TABLE removes them, and a rebuild creates only those again that it names. A DROP INDEX is intended; a trigger or view that is not created again has to be declared. The numbers of AUTOINCREMENT start again in every rebuild, which is a warning.",
    example: {
      schema:
        "CREATE TABLE tag (id INTEGER PRIMARY KEY, slug TEXT);\nCREATE UNIQUE INDEX tag_slug ON tag (slug);",
      sql: "CREATE TABLE __new_tag (id INTEGER PRIMARY KEY, slug TEXT, at INTEGER);\nINSERT INTO __new_tag (id, slug) SELECT id, slug FROM tag;\nDROP TABLE tag;\nALTER TABLE __new_tag RENAME TO tag;",
      instead:
        "CREATE TABLE __new_tag (id INTEGER PRIMARY KEY, slug TEXT, at INTEGER);\nINSERT INTO __new_tag (id, slug) SELECT id, slug FROM tag;\nDROP TABLE tag;\nALTER TABLE __new_tag RENAME TO tag;\nCREATE UNIQUE INDEX tag_slug ON tag (slug);",
    },
  },
  "cascade-parent": {
    finds: "a drop, rebuild or rewrite of a table that others refer to, which takes their rows",
    why: "D1 enforces foreign keys in every migration: `PRAGMA foreign_keys = OFF` does nothing inside a request, and `PRAGMA defer_foreign_keys = ON` defers checks, not `ON DELETE`. So `DROP TABLE` deletes or empties the rows that refer to the table, or fails. A trigger that a statement sets off may do the same.",
    example: {
      schema:
        "CREATE TABLE user (id TEXT PRIMARY KEY, plan TEXT);\nCREATE TABLE session (id TEXT PRIMARY KEY, user_id TEXT REFERENCES user (id) ON DELETE CASCADE);",
      sql: "CREATE TABLE __new_user (id TEXT PRIMARY KEY, plan TEXT NOT NULL);\nINSERT INTO __new_user SELECT id, coalesce(plan, 'free') FROM user;\nDROP TABLE user;\nALTER TABLE __new_user RENAME TO user;",
      instead:
        "PRAGMA defer_foreign_keys = ON;\nCREATE TABLE __old_user AS SELECT * FROM user;\nUPDATE user SET id = 'moved:' || id;\nDROP TABLE user;\nCREATE TABLE user (id TEXT PRIMARY KEY, plan TEXT NOT NULL);\nINSERT INTO user SELECT id, coalesce(plan, 'free') FROM __old_user;\nDROP TABLE __old_user;",
    },
  },
  "not-judged": {
    finds: "what takes rows of tables that no file here makes",
    why: "Without earlier files, or as the first of its folder, a file may find tables that another tool has made. Lint the folder, or give the schema with `--schema`.",
    example: {
      schema: "",
      sql: "DROP TABLE IF EXISTS note;",
      instead: "CREATE TABLE note (id TEXT PRIMARY KEY);",
    },
  },
  "fails-on-rows": {
    finds: "a statement that works on an empty database, and fails on rows",
    why: "Tests and previews have few rows. A required column without a value fails on the first one, a unique index on the first pair of rows with the same values. Nothing of the file takes effect then.",
    example: {
      schema: "CREATE TABLE note (id TEXT PRIMARY KEY);",
      sql: "ALTER TABLE note ADD COLUMN mood TEXT NOT NULL;",
      instead: "ALTER TABLE note ADD COLUMN mood TEXT NOT NULL DEFAULT 'neutral';",
    },
  },
  "old-names": {
    finds: "an existing table or column that gets another name",
    why: "The version that still runs while a release moves on uses the old name.",
    example: {
      schema: "CREATE TABLE note (id TEXT PRIMARY KEY, text TEXT);",
      sql: "ALTER TABLE note RENAME COLUMN text TO body;",
      instead:
        "ALTER TABLE note ADD COLUMN body TEXT;\nUPDATE note SET body = text WHERE body IS NULL;",
    },
  },
  transaction: {
    finds: "BEGIN, COMMIT, and PRAGMAs that D1 ignores or refuses",
    why: "D1 runs each file in a transaction of its own: it refuses BEGIN, COMMIT, SAVEPOINT, VACUUM, ATTACH and temporary tables, ignores `PRAGMA foreign_keys`, and refuses most other PRAGMAs.",
    example: {
      schema: "CREATE TABLE note (id TEXT PRIMARY KEY);",
      sql: "BEGIN;\nALTER TABLE note ADD COLUMN at INTEGER;\nCOMMIT;",
      instead: "ALTER TABLE note ADD COLUMN at INTEGER;",
    },
  },
  "ledger-write": {
    finds: "writes to the tables that say which migrations are applied",
    why: "drizzle-kit drops every table that its schema does not name, `d1_migrations` included. Without its rows every file runs again; with a wrong one a file never runs.",
    example: {
      schema:
        "CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE);",
      sql: "DROP TABLE d1_migrations;",
      instead: "-- drizzle.config.ts: tablesFilter: ['!d1_migrations*']\nSELECT 1;",
    },
  },
}
