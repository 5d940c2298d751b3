import type { GuardRow } from "./guard-row.ts"

const reached = "[...drops, own, ...follows, ...byTriggers]"
const reach = "classification/reach.ts"
const inserts = "classification/plain-insert.ts"

export const guardedTables: GuardRow[] = [
  {
    does: "guards",
    what: "a table that the file drops",
    file: reach,
    code: reached,
    without: "[own, ...follows, ...byTriggers]",
    example: "check-ignore",
  },
  {
    does: "guards",
    what: "a table whose rows it writes",
    file: reach,
    code: reached,
    without: "[...drops, ...follows, ...byTriggers]",
    example: "json-lists-of-a-length",
  },
  {
    does: "guards",
    what: "a table whose rows follow by a foreign key, ON DELETE or ON UPDATE",
    file: reach,
    code: reached,
    without: "[...drops, own, ...byTriggers]",
    example: "trimmed-parent-empties-children",
  },
  {
    does: "guards",
    what: "a table that a trigger writes, of a view, too",
    file: reach,
    code: reached,
    without: "[...drops, own, ...follows]",
    example: "trigger-with-a-length",
  },
  {
    does: "guards",
    what: "a table that loses a column",
    file: reach,
    code: '"DropColumnAlterTableBody", ',
    without: "",
    example: "untried-column-dropped",
  },
  {
    does: "guards",
    what: "a table of which a column gets another name",
    file: reach,
    code: ', "RenameColumnAlterTableBody"',
    without: "",
    example: "untried-swap-of-columns",
  },
  {
    does: "guards",
    what: "a table whose name another one gets",
    file: reach,
    code: "taker !== undefined) taken",
    without: "taker === undefined) taken",
    example: "untried-swap-of-tables",
  },
  {
    does: "guards",
    what: "a table that an INSERT with REPLACE or ON CONFLICT writes",
    file: inserts,
    code: 'writes?.by !== "insert" || isMet',
    without: 'writes?.by !== "insert"',
    example: "untried-replacing-insert",
  },
  {
    does: "guards",
    what: "a table to which an INSERT adds its own rows again",
    file: reach,
    code: "isOwn && mayRepeat(",
    without: "!isOwn && mayRepeat(",
    example: "rows-inserted-again-beyond-what-is-declared",
  },
  {
    does: "guards",
    what: "a table that replaces rows by its own definition",
    file: inserts,
    code: 'definitionOf(database, table).includes("replace")',
    without: "database === undefined",
    example: "key-that-replaces",
  },
  {
    does: "guards",
    what: "a full-text table, and one without content that is told to delete",
    file: inserts,
    code: "named?.some(({ text }) => isSameName(text, writes.table)) !== true",
    without: "named === undefined || named.length > 0",
    example: "untried-contentless-delete-all",
  },
  {
    does: "guards",
    what: "a virtual table that holds rows of its own",
    file: "schema/schema.ts",
    code: "(SELECT holds_rows(sql)",
    without: "0 AND (SELECT holds_rows(sql)",
    example: "full-text-rows-deleted",
  },
  {
    does: "guards",
    what: "references, where the file defers foreign keys by itself",
    file: "guard/references.ts",
    code: "/defer_foreign_keys/i",
    without: "/never/",
    example: "defer",
  },
]

export const leftTables: GuardRow[] = [
  {
    does: "leaves out",
    what: "a table into which an INSERT only adds",
    file: reach,
    code: "if (isOwn && isAdding) added",
    without: "if (isOwn && !isOwn) added",
    sql: "INSERT INTO user (id) VALUES ('seed');",
  },
  {
    does: "leaves out",
    what: "a table that only gets a column or another name of its own",
    file: reach,
    code: "kinds.includes(node.body.type) ?",
    without: "kinds.length > 0 ?",
    sql: "ALTER TABLE user ADD COLUMN plan TEXT NOT NULL DEFAULT 'free';",
  },
  {
    does: "leaves out",
    what: "a full-text table over the rows of another one, which can be made again",
    file: "schema/schema.ts",
    code: "(SELECT holds_rows(sql) FROM sqlite_master AS master WHERE master.name = list.name)",
    without: "1",
    example: "full-text-cache-dropped",
  },
]
