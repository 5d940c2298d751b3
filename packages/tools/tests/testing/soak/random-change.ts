import { harmless, rebuild } from "./random-copy.ts"
import { merge, normalise, upsert } from "./random-merges.ts"
import { mistakes } from "./random-mistakes.ts"
import { columnChange, identity, type Made, moveOf, type Place } from "./random-moves.ts"
import {
  type Column,
  created,
  pick,
  type Random,
  rowsOf,
  type Table,
  tableOf,
  valueOf,
} from "./random-schema.ts"

/** A migration made by chance, the database that it finds, and where each value belongs afterwards. */
export type RandomChange = {
  before: string
  /** Statements, of which some may break a rule of the schema: those are left out. */
  rows: string[]
  sql: string
  /** The intended mistake; undefined if there is none. */
  mistake: string | undefined
  /** Tables that receive the rows of each table before the change, with the new names of its columns. */
  places: Map<string, Place[]>
  keys: Map<string, string[]>
}

function styled(random: Random, statements: string[]): string {
  const quoted = random() < 0.3
  const loud = random() < 0.2
  const text = statements.map((sql) => {
    const quotedSql = quoted
      ? sql.replaceAll(/\b(item|owner|part|__new_item|__new_part|__new_owner)\b(?!_)/g, '"$1"')
      : sql
    return loud
      ? quotedSql.replaceAll(
          /\b(create|table|select|from|insert|into|drop|alter|rename|to|where)\b/gi,
          (word) => word.toLowerCase(),
        )
      : quotedSql
  })
  return text
    .map((sql) => `${sql};`)
    .join(pick(random, ["\n", "--> statement-breakpoint\n", " /* next */ "]))
}

function rebuildOf(random: Random, table: Table): Made {
  if (random() < 0.4) {
    const statements = rebuild(random, table, (copy) => pick(random, harmless)(copy, random))
    return { statements, ...(table.children ? { mistake: "a parent is dropped" } : {}) }
  }
  let done = ""
  const statements = rebuild(random, table, (copy) => {
    const fitting = mistakes.filter((candidate) => candidate.fits(copy))
    if (fitting.length === 0) return
    const mistake = pick(random, fitting)
    mistake.make(copy, random)
    done = mistake.name
  })
  return { statements, ...(done === "" ? {} : { mistake: done }) }
}

function updateOf(random: Random, table: Table): Made {
  const isFree = ({ kind, name }: Column) =>
    ["text", "integer", "real"].includes(kind) &&
    !table.checks.some((check) => check.startsWith("PRIMARY") && check.includes(name))
  const column = pick(
    random,
    table.columns.some(isFree) ? table.columns.filter(isFree) : table.columns.slice(0, 1),
  )
  const { name } = column
  const forms: [string, string | undefined][] = [
    [`UPDATE ${table.name} SET ${name} = ${name}`, undefined],
    [
      `UPDATE ${table.name} SET ${name} = trim(${name}) WHERE typeof(${name}) = 'text'`,
      "overwritten",
    ],
    [`UPDATE ${table.name} SET ${name} = coalesce(${name}, 0)`, undefined],
    [`UPDATE ${table.name} SET ${name} = 'new' WHERE ${name} IS NULL`, undefined],
    [`UPDATE ${table.name} SET ${name} = 3 WHERE ${name} IS NOT NULL`, "overwritten"],
    [
      `UPDATE ${table.name} SET ${name} = 'x' WHERE ${pick(random, table.columns.slice(1)).name} ${pick(random, ["= 1", "LIKE '%a%'", "> 50", "IN ('x', 'beta', 5)", "IS NULL"])}`,
      "overwritten",
    ],
    [`UPDATE OR REPLACE ${table.name} SET ${name} = ${name} || 'z'`, "overwritten"],
    [
      `UPDATE ${table.name} SET ${name} = (SELECT msg FROM log WHERE log.msg = ${table.name}.id)`,
      "overwritten",
    ],
    [`UPDATE ${table.name} SET ${name} = log.msg FROM log WHERE log.at = 1`, "overwritten"],
  ]
  const [sql, mistake] = pick(random, forms)
  return { statements: [sql], ...(mistake === undefined ? {} : { mistake }) }
}

function deleteOf(random: Random, table: Table): Made {
  const { name } = pick(random, table.columns)
  const condition = pick(random, [
    "IS NULL",
    "= 1",
    "LIKE '%e%'",
    "> 10",
    "NOT IN (SELECT at FROM log)",
    "= ''",
    "IN (SELECT msg FROM log)",
    "<> 'x'",
  ])
  const reference = table.columns.find(
    (column) => column.kind === "reference" && column.name !== "up_id",
  )
  const parent = reference?.name.replace(/_id$/, "")
  const forms: Made[] = [
    {
      statements: [`DELETE FROM ${table.name} WHERE ${name} ${condition}`],
      mistake: "rows are deleted",
    },
    {
      statements: [
        `DELETE FROM ${table.name} WHERE rowid IN (SELECT rowid FROM ${table.name} LIMIT 3)`,
      ],
      mistake: "rows are deleted",
    },
    {
      statements: [
        `CREATE TRIGGER hidden AFTER INSERT ON log BEGIN DELETE FROM ${table.name} WHERE ${name} ${condition}; END`,
        "INSERT INTO log VALUES (9, 'nine')",
        "DROP TRIGGER hidden",
      ],
      mistake: "a trigger deletes rows",
    },
    { statements: [`DELETE FROM ${table.name} WHERE 1 = 0`] },
    { statements: [`DELETE FROM ${table.name} WHERE id IS NULL`] },
    ...(parent === undefined
      ? []
      : [
          {
            statements: [
              `DELETE FROM ${table.name} WHERE ${parent}_id NOT IN (SELECT id FROM ${parent})`,
            ],
          },
        ]),
  ]
  return pick(random, forms)
}

function seedOf(random: Random, table: Table): Made {
  const stored = table.columns.filter(({ kind }) => kind !== "generated")
  const values = stored.map((column) =>
    column.kind === "reference"
      ? "NULL"
      : valueOf(random, { ...column, nullable: false }, pick(random, [2, 40])),
  )
  const list = stored.map(({ name }) => name).join(", ")
  const bare = stored.filter((column) => !column.nullable)
  if (random() < 0.5) return upsert(random, table, values)
  const forms: Made[] = [
    { statements: [`INSERT OR IGNORE INTO ${table.name} (${list}) VALUES (${values.join(", ")})`] },
    {
      statements: [
        `INSERT INTO ${table.name} (${list}) VALUES (${values.join(", ")}) ON CONFLICT DO NOTHING`,
      ],
    },
    { statements: ["INSERT INTO log VALUES (7, 'seven')", "DELETE FROM log WHERE at = 7 AND 0"] },
    ...(bare.length === stored.length
      ? []
      : [
          {
            statements: [
              `REPLACE INTO ${table.name} (${bare.map(({ name }) => name).join(", ")}) VALUES (${bare.map((column) => values[stored.indexOf(column)]).join(", ")})`,
            ],
            mistake: "rows are replaced",
          },
        ]),
  ]
  return pick(random, forms)
}

/** Columns that stand elsewhere afterwards, as a person would say it; rows are found where statements copy them. */
function declared({ name }: Table, moved: Place[]): string[] {
  return moved.flatMap(({ table, columns }) =>
    [...columns]
      .filter(([before, is]) => before !== is)
      .map(([before, is]) => `${name}.${before} to ${is.split(" → ")[1] ?? `${table}.${is}`}`)
      .map((line) => `-- d1:moves ${line}: it belongs there from now on`),
  )
}

export function randomChange(random: Random): RandomChange {
  const owner = tableOf(random, "owner", [])
  const item = tableOf(
    random,
    "item",
    owner.checks.some((check) => check.startsWith("PRIMARY")) ? [] : [owner],
  )
  const part = tableOf(
    random,
    "part",
    item.checks.some((check) => check.startsWith("PRIMARY")) ? [] : [item],
  )
  const tables = [owner, item, part]
  const view = random() < 0.2 ? ["CREATE VIEW seen AS SELECT at FROM log"] : []
  const before = [
    "CREATE TABLE log (at INTEGER, msg TEXT)",
    ...tables.flatMap((table) => [created(table, table.name), ...table.objects]),
    ...view,
  ]
  const parents = new Map<string, string[]>()
  const rows = [
    "INSERT INTO log VALUES (1, 'one')",
    "INSERT INTO log VALUES (2, NULL)",
    "INSERT INTO log VALUES (5, 'x')",
    ...tables.flatMap((table) => rowsOf(random, table, parents)),
  ]
  const table = pick(random, [item, part, part, owner])
  const make = pick(random, [
    rebuildOf,
    rebuildOf,
    rebuildOf,
    updateOf,
    deleteOf,
    moveOf,
    columnChange,
    seedOf,
    seedOf,
    merge,
    normalise,
  ])
  const { statements, mistake, moved } = make(random, table)
  const places = new Map(
    tables.map((entry): [string, Place[]] => [
      entry.name,
      [{ table: entry.name, columns: identity(entry) }],
    ]),
  )
  if (moved !== undefined) places.set(table.name, moved)
  const keys = new Map(
    tables.map((entry): [string, string[]] => [
      entry.name,
      entry.checks.some((check) => check.startsWith("PRIMARY")) ? ["id", "a"] : ["id"],
    ]),
  )
  return {
    before: before.map((sql) => `${sql};`).join("\n"),
    rows,
    sql: [...declared(table, moved ?? []), styled(random, statements)].join("\n"),
    mistake,
    places,
    keys,
  }
}
