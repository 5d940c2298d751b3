import { type Column, created, pick, type Random, type Table, valueOf } from "./random-schema.ts"

export type Place = { table: string; columns: Map<string, string> }

export type Made = { statements: string[]; mistake?: string; moved?: Place[] }

export function identity(
  { columns }: Table,
  renamedColumns: Record<string, string> = {},
): Map<string, string> {
  return new Map(columns.map(({ name }) => [name, renamedColumns[name] ?? name]))
}

export function moveOf(random: Random, table: Table): Made {
  const to = `${table.name}_moved`
  const stored = table.columns.filter(({ kind }) => kind !== "generated")
  const list = stored.map(({ name }) => name).join(", ")
  const target = { ...table, columns: stored, objects: [] }
  const targets: Place[] = [{ table: to, columns: identity(target) }]
  const isWhole = stored.length === table.columns.length
  const parent = table.children || !isWhole ? { mistake: "children or a generated column go" } : {}
  const [key = ""] = stored.map(({ name }) => name)
  const value = pick(random, stored.slice(1).length > 0 ? stored.slice(1) : stored)
  const halves = [`${value.name} = ${valueOf(random, { ...value, nullable: false }, 1)}`]
  const otherHalf = value.nullable ? `${halves[0]} IS NOT TRUE` : `NOT (${halves[0]})`
  const split = (condition: string) => [
    created(target, to),
    created(target, `${to}2`),
    `INSERT INTO ${to} SELECT ${list} FROM ${table.name} WHERE ${halves[0]}`,
    `INSERT INTO ${to}2 SELECT ${list} FROM ${table.name} WHERE ${condition}`,
    `DROP TABLE ${table.name}`,
  ]
  const places = [...targets, { table: `${to}2`, columns: identity(target) }]
  const forms: Made[] = [
    {
      statements: [`ALTER TABLE ${table.name} RENAME TO ${to}`],
      moved: [{ table: to, columns: identity(table) }],
    },
    {
      statements: [
        created(target, to),
        `INSERT INTO ${to} (${list}) SELECT ${list} FROM ${table.name}`,
        `DROP TABLE ${table.name}`,
      ],
      moved: targets,
      ...parent,
    },
    {
      statements: [
        `CREATE TABLE ${to} AS SELECT ${list} FROM ${table.name}`,
        `DROP TABLE ${table.name}`,
      ],
      moved: targets,
      ...parent,
    },
    {
      statements: split(`(${otherHalf})`.replace(/^\((.*) IS NOT TRUE\)$/, "($1) IS NOT TRUE")),
      moved: places,
      ...parent,
    },
    {
      statements: split(`${value.name} <> ${halves[0]?.split(" = ")[1] ?? "1"}`),
      moved: places,
      ...(value.nullable || table.children || !isWhole
        ? { mistake: "rows with NULL are in neither" }
        : {}),
    },
    {
      statements: [
        `CREATE TABLE ${to} (${key})`,
        `INSERT INTO ${to} SELECT ${key} FROM ${table.name}`,
        `DROP TABLE ${table.name}`,
      ],
      moved: targets,
      mistake: "only keys are moved",
    },
    {
      statements: [
        created(target, to),
        `INSERT OR IGNORE INTO ${to} (${list}) SELECT DISTINCT ${list} FROM ${table.name} WHERE ${value.name} IS NOT NULL`,
        `DROP TABLE ${table.name}`,
      ],
      moved: targets,
      mistake: "rows with NULL stay behind",
    },
  ]
  return pick(random, forms)
}

/** Columns of which no rule of the table speaks. */
export function columnFree(table: Table): Column[] {
  return table.columns.filter(
    ({ kind, name }) =>
      ["text", "integer", "real", "blob", "any"].includes(kind) &&
      !table.objects.some((sql) => sql.includes(`${name})`) || sql.includes(`${name} IS`)) &&
      !table.checks.some((check) => check.includes(name)) &&
      !table.columns.some((column) => column.kind === "generated"),
  )
}

export function columnChange(random: Random, table: Table): Made {
  const free = columnFree(table)
  const column = free.at(-1)
  if (column === undefined) {
    return { statements: [`ALTER TABLE ${table.name} ADD COLUMN extra TEXT`] }
  }
  const { name, type } = column
  const moved = [{ table: table.name, columns: identity(table, { [name]: "fresh" }) }]
  const otherColumn = free.find(
    (candidate) => candidate.kind === column.kind && candidate !== column,
  )
  const forms: Made[] = [
    { statements: [`ALTER TABLE ${table.name} RENAME COLUMN ${name} TO fresh`], moved },
    {
      statements: [
        `ALTER TABLE ${table.name} ADD COLUMN fresh ${type}`,
        `UPDATE ${table.name} SET fresh = ${name}`,
        `ALTER TABLE ${table.name} DROP COLUMN ${name}`,
      ],
      moved,
      ...(/DEFAULT|CHECK|COLLATE/.test(column.rules) ? { mistake: "a rule stays behind" } : {}),
    },
    {
      statements: [`ALTER TABLE ${table.name} DROP COLUMN ${name}`],
      mistake: "a column is dropped",
    },
    {
      statements: [
        `ALTER TABLE ${table.name} ADD COLUMN fresh ${type}`,
        `UPDATE ${table.name} SET fresh = ${name} WHERE id <> 'k3' AND id <> 7`,
        `ALTER TABLE ${table.name} DROP COLUMN ${name}`,
      ],
      moved,
      mistake: "a column is moved in part",
    },
    {
      statements: [
        `CREATE TABLE apart (id ${table.columns[0]?.type ?? "TEXT"} PRIMARY KEY, fresh ${type})`,
        `INSERT INTO apart SELECT ${table.columns[0]?.name ?? "id"}, ${name} FROM ${table.name}`,
        `UPDATE ${table.name} SET ${name} = ${name}`,
      ],
    },
    ...(otherColumn === undefined
      ? []
      : [
          {
            statements: [
              `ALTER TABLE ${table.name} RENAME COLUMN ${name} TO spare`,
              `ALTER TABLE ${table.name} RENAME COLUMN ${otherColumn.name} TO ${name}`,
              `ALTER TABLE ${table.name} RENAME COLUMN spare TO ${otherColumn.name}`,
            ],
            mistake: "names are exchanged",
          },
        ]),
  ]
  return pick(random, forms)
}
