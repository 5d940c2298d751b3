export type Kind = "key" | "text" | "integer" | "real" | "blob" | "any" | "reference" | "generated"

export type Column = { name: string; kind: Kind; type: string; rules: string; nullable: boolean }

export type Table = {
  name: string
  columns: Column[]
  suffix: string
  /** Checks of the whole table. */
  checks: string[]
  /** Indexes and triggers. */
  objects: string[]
  children: boolean
}

export type Random = () => number

export function pick<Value>(random: Random, list: readonly Value[]): Value {
  const value = list[Math.floor(random() * list.length)]
  if (value === undefined) throw new Error("nothing to pick from")
  return value
}

const words = ["Alpha", "beta", "GAMMA", "delta 4", "x", "Zoë", "it''s", "007", "1e3", "news"]

function textOf(random: Random): string {
  return pick(random, [
    "''",
    "'  padded '",
    `'${pick(random, words)}'`,
    `'${pick(random, words)} ${Math.floor(random() * 90)}'`,
  ])
}

const integers = ["0", "1", "-1", "5", "100", "1700000000", "9007199254740993", "-40"]

export function valueOf(random: Random, { kind, nullable, type }: Column, row: number): string {
  if (nullable && random() < 0.25) return "NULL"
  if (kind === "key") {
    return /INT/.test(type) ? String(row * 3 + 1) : `'${pick(random, ["k", "K", "id "])}${row}'`
  }
  if (kind === "text") return textOf(random)
  if (kind === "real") return pick(random, ["0.5", "-2.25", "1e9", "3.0", "1234.5678"])
  if (kind === "blob") return pick(random, ["x'00ff'", "x''", `x'0${row % 10}'`])
  if (kind === "any") return pick(random, ["1", "'1'", "x'01'", "2.5", "'007'"])
  return pick(random, integers)
}

function columnOf(random: Random, name: string, strict: boolean): Column {
  const kind = pick(random, [
    "text",
    "text",
    "integer",
    "integer",
    "real",
    "blob",
    strict ? "any" : "text",
  ] as const)
  const types = {
    text: strict ? ["TEXT"] : ["TEXT", "text", "varchar(20)"],
    integer: strict ? ["INTEGER", "INT"] : ["INTEGER", "bigint"],
    real: ["REAL"],
    blob: ["BLOB"],
    any: ["ANY"],
  }
  const type = pick(random, types[kind])
  const nullable = random() < 0.6
  const filled = kind === "text" ? " DEFAULT 'none'" : kind === "integer" ? " DEFAULT 7" : ""
  const rules = [
    nullable ? "" : " NOT NULL",
    random() < 0.3 ? filled : "",
    kind === "text" && random() < 0.15 ? " COLLATE NOCASE" : "",
    kind === "integer" && random() < 0.15 ? ` CHECK (${name} > -1000)` : "",
  ]
  return { name, kind, type, rules: rules.join(""), nullable }
}

export function tableOf(random: Random, name: string, parents: Table[]): Table {
  const shape = pick(random, [
    "plain",
    "plain",
    "number",
    "counted",
    "strict",
    "rowless",
    "pair",
  ] as const)
  const strict = shape === "strict"
  const number = shape === "number" || shape === "counted"
  const key: Column = {
    name: "id",
    kind: "key",
    type: number ? "INTEGER" : "TEXT",
    nullable: false,
    rules: number
      ? ` PRIMARY KEY${shape === "counted" ? " AUTOINCREMENT" : ""}`
      : shape === "pair"
        ? " NOT NULL"
        : " PRIMARY KEY NOT NULL",
  }
  const ownColumns = ["a", "b", "c", "d"]
    .slice(0, 2 + Math.floor(random() * 3))
    .map((columnName) => columnOf(random, columnName, strict))
  const references = parents
    .filter(() => random() < 0.7)
    .map((parent): Column => {
      parent.children = true
      const nullable = random() < 0.6
      const action = pick(random, [
        "",
        " ON DELETE CASCADE",
        nullable ? " ON DELETE SET NULL" : " ON DELETE CASCADE",
      ])
      return {
        name: `${parent.name}_id`,
        kind: "reference",
        type: parent.columns[0]?.type ?? "TEXT",
        nullable,
        rules: `${nullable ? "" : " NOT NULL"} REFERENCES ${parent.name} (id)${action}`,
      }
    })
  const itself: Column[] =
    random() < 0.2 && shape !== "pair"
      ? [
          {
            name: "up_id",
            kind: "reference",
            type: key.type,
            nullable: true,
            rules: ` REFERENCES ${name} (id)`,
          },
        ]
      : []
  const generated: Column[] =
    random() < 0.15
      ? [
          {
            name: "g",
            kind: "generated",
            type: "TEXT",
            nullable: true,
            rules: ` GENERATED ALWAYS AS (coalesce(a, '') || id) ${pick(random, ["VIRTUAL", "STORED"])}`,
          },
        ]
      : []
  const columns = [key, ...ownColumns, ...references, ...itself, ...generated]
  const [first] = ownColumns
  const objects = [
    random() < 0.3 ? `CREATE INDEX ${name}_a ON ${name} (a)` : "",
    random() < 0.15 ? `CREATE UNIQUE INDEX ${name}_u ON ${name} (a, b)` : "",
    random() < 0.15 ? `CREATE INDEX ${name}_part ON ${name} (b) WHERE a IS NOT NULL` : "",
    random() < 0.15
      ? `CREATE TRIGGER ${name}_seen AFTER UPDATE ON ${name} BEGIN INSERT INTO log VALUES (1, 'seen'); END`
      : "",
  ]
  return {
    name,
    columns,
    children: false,
    suffix: strict ? " STRICT" : shape === "rowless" ? " WITHOUT ROWID" : "",
    checks: [
      ...(shape === "pair" ? ["PRIMARY KEY (id, a)"] : []),
      ...(random() < 0.1 && first?.kind === "text" ? ["CHECK (length(a) < 500)"] : []),
    ],
    objects: objects.filter((sql) => sql !== ""),
  }
}

export function created(
  { columns, checks, suffix }: Table,
  name: string,
  extraLines: string[] = [],
): string {
  const lines = [
    ...columns.map((column) => `${column.name} ${column.type}${column.rules}`),
    ...extraLines,
    ...checks,
  ]
  return `CREATE TABLE ${name} (${lines.join(", ")})${suffix}`
}

export function rowsOf(random: Random, table: Table, parents: Map<string, string[]>): string[] {
  const stored = table.columns.filter(({ kind }) => kind !== "generated")
  const keys: string[] = []
  return Array.from({ length: 14 }, (_, row) => {
    const values = stored.map((column) => {
      if (column.kind !== "reference") return valueOf(random, column, row)
      const parentKeys =
        column.name === "up_id" ? keys : (parents.get(column.name.replace(/_id$/, "")) ?? [])
      return parentKeys.length === 0 || (column.nullable && random() < 0.3)
        ? "NULL"
        : pick(random, parentKeys)
    })
    keys.push(values[0] ?? "NULL")
    parents.set(table.name, keys)
    return `INSERT INTO ${table.name} (${stored.map(({ name }) => name).join(", ")}) VALUES (${values.join(", ")})`
  })
}
