import { created, type Kind, pick, type Random, type Table } from "./random-schema.ts"

/** How a change copies one table; a mistake may change any part. */
export type Copy = {
  columns: { name: string; from: string }[]
  table: Table
  target: Table
  tail: string
  verb: string
  source: string
}

export function ownOf(copy: Copy, kinds: Kind[] = ["text", "integer", "real", "blob", "any"]) {
  const columnNames = new Set(
    copy.table.columns.filter(({ kind }) => kinds.includes(kind)).map(({ name }) => name),
  )
  const inKey = copy.table.checks.some((check) => check.startsWith("PRIMARY")) ? ["a"] : []
  return copy.columns.filter(({ name }) => columnNames.has(name) && !inKey.includes(name))
}

export function nullableIn({ table }: Copy) {
  return table.columns.filter(
    (column) => column.nullable && column.kind !== "generated" && column.name !== "g",
  )
}

export function isOptional({ table }: Copy, name: string): boolean {
  const column = table.columns.find((candidate) => candidate.name === name)
  return column?.nullable === true || / DEFAULT /.test(column?.rules ?? "")
}

export function sameKind(copy: Copy) {
  const free = ownOf(copy)
  const kindOf = (name: string) => copy.table.columns.find((column) => column.name === name)
  for (const column of free) {
    const twin = free.find(
      ({ name }) =>
        name !== column.name &&
        kindOf(name)?.kind === kindOf(column.name)?.kind &&
        kindOf(name)?.nullable === kindOf(column.name)?.nullable,
    )
    if (twin !== undefined) return [column, twin] as const
  }
  return undefined
}

/** Variations that change no result, however strange they look. */
export const harmless: ((copy: Copy, random: Random) => void)[] = [
  () => undefined,
  () => undefined,
  (copy) => void (copy.tail = " ORDER BY id"),
  (copy, random) =>
    void (copy.tail = pick(random, [
      " WHERE 1",
      " WHERE id IS NOT NULL",
      " WHERE 1 = 1 OR id = 'x'",
      " LIMIT -1",
    ])),
  (copy) => void (copy.source = `(SELECT * FROM ${copy.table.name})`),
  (copy) => void (copy.columns = copy.columns.toReversed()),
  (copy, random) =>
    void (copy.verb = pick(random, [
      "INSERT OR ABORT INTO",
      "INSERT OR FAIL INTO",
      "INSERT OR IGNORE INTO",
    ])),
  (copy, random) => {
    const [column] = ownOf(copy, ["text"])
    if (column !== undefined) {
      column.from = pick(random, ["coalesce(%, 'filled')", "ifnull(%, '')"]).replaceAll(
        "%",
        column.name,
      )
    }
  },
]

export function rebuild(random: Random, table: Table, change: (copy: Copy) => void): string[] {
  const stored = table.columns.filter(({ kind }) => kind !== "generated")
  const copy: Copy = {
    columns: stored.map(({ name }) => ({ name, from: name })),
    table,
    target: table,
    tail: "",
    verb: "INSERT INTO",
    source: table.name,
  }
  change(copy)
  const added = random() < 0.5 ? ["extra TEXT"] : []
  const list = copy.columns.map(({ name }) => name).join(", ")
  const from = copy.columns.map(({ from: value }) => value).join(", ")
  const select = (source: string) =>
    pick(random, [
      `SELECT ${from} FROM ${source}${copy.tail}`,
      `SELECT * FROM (SELECT ${from} FROM ${source}${copy.tail})`,
      `WITH some AS (SELECT ${from} FROM ${source}${copy.tail}) SELECT * FROM some`,
    ])
  const name = `__new_${table.name}`
  const form = pick(random, ["new first", "new first", "old renamed", "put aside"] as const)
  if (form === "old renamed" && copy.source === table.name && !table.children) {
    const drops = table.objects
      .map((sql) => sql.replace(/^CREATE (?:UNIQUE )?(INDEX|TRIGGER) (\w+) .*$/s, "DROP $1 $2"))
      .filter((sql) => !sql.startsWith("DROP TRIGGER"))
    return [
      `ALTER TABLE ${table.name} RENAME TO __old`,
      ...drops,
      created(copy.target, table.name, added),
      `${copy.verb} ${table.name} (${list}) ${select("__old")}`,
      "DROP TABLE __old",
      ...copy.target.objects,
    ]
  }
  if (form === "put aside" && copy.source === table.name) {
    return [
      `CREATE TABLE aside AS SELECT * FROM ${table.name}`,
      `DROP TABLE ${table.name}`,
      created(copy.target, table.name, added),
      `${copy.verb} ${table.name} (${list}) ${select("aside")}`,
      "DROP TABLE aside",
      ...copy.target.objects,
    ]
  }
  return [
    created(copy.target, name, added),
    `${copy.verb} ${name} (${list}) ${select(copy.source)}`,
    `DROP TABLE ${table.name}`,
    `ALTER TABLE ${name} RENAME TO ${table.name}`,
    ...copy.target.objects,
  ]
}
