import { type ForeignKey, isSameName, quoteName, type Table } from "../schema/schema.ts"

/** Far from every key that counts up, so that no row refers to a moved key. */
export const movedDistance = "4611686018427387904"

export const movedPrefix = "moved:"

/** Parts of a rebuild that moves a table's keys away, and takes the rows back that followed them. */
type MovedKeys = {
  /** The assignments after which no row refers to the table; the new table gets the old keys. */
  away: string
  /** Statements that take rows back whose references are ON UPDATE CASCADE. */
  back: string[]
  /** The tables of these rows, whose triggers would see them move. */
  followers: string[]
}

/** @throws Error saying which key cannot be moved */
export function movedKeys(table: Table, schema: Table[]): MovedKeys {
  const references = schema.flatMap(({ name: child, foreignKeys }) =>
    foreignKeys
      .filter(({ parent }) => isSameName(parent, table.name))
      .map((key) => ({ child, key })),
  )
  const columns = new Set<string>()
  const back: string[] = []
  for (const { child, key } of references) {
    const { onUpdate, columns: from, parentColumns } = key
    if (!/^(?:NO ACTION|CASCADE)$/.test(onUpdate)) {
      throw new Error(
        `${child}.${from.join(", ")} refers to ${table.name} ON UPDATE ${onUpdate}: its rows would lose the keys that are moved away. Rebuild ${child} with ON UPDATE NO ACTION first.`,
      )
    }
    const [first = ""] = parentColumns
    const name = table.columns.find((column) => isSameName(column.name, first))?.name ?? first
    columns.add(name)
    if (onUpdate === "CASCADE" && !isSameName(child, table.name)) {
      back.push(takenBack({ table, child, key, isText: !isNumber(table, name) }))
    }
  }
  const away = [...columns].map((name) => assignment(table, name)).join(", ")
  return { away, back, followers: followersOf(table.name, schema) }
}

type Following = { table: Table; child: string; key: ForeignKey; isText: boolean }

/** Takes back rows that followed the moved keys. A reference with a NULL in it refers to no row, so it did not follow. */
function takenBack({ table, child, key, isText }: Following): string {
  const [columns, keys] = [key.columns, key.parentColumns].map((names) => names.map(quoteName))
  const [moved = ""] = columns ?? []
  const keyBefore = isText
    ? `substr(${moved}, ${movedPrefix.length + 1})`
    : `${moved} + ${movedDistance}`
  const followed = `(${columns?.join(", ")}) IN (SELECT ${keys?.join(", ")} FROM ${quoteName(table.name)})`
  return `UPDATE ${quoteName(child)} SET ${moved} = ${keyBefore} WHERE ${followed};`
}

/** Tables that follow by ON UPDATE CASCADE, also indirectly. */
function followersOf(parent: string, schema: Table[], visited: string[] = []): string[] {
  const next = schema.filter(
    ({ name, foreignKeys }) =>
      !visited.includes(name) &&
      foreignKeys.some((key) => key.onUpdate === "CASCADE" && isSameName(key.parent, parent)),
  )
  let followers = [...visited, ...next.map(({ name }) => name)]
  for (const { name } of next) followers = followersOf(name, schema, followers)
  return followers
}

function assignment(table: Table, name: string): string {
  const quoted = quoteName(name)
  return isNumber(table, name)
    ? `${quoted} = ${quoted} - ${movedDistance}`
    : `${quoted} = '${movedPrefix}' || ${quoted}`
}

/** Whether a key is a number; otherwise it is a text. @throws Error for any other type */
function isNumber(table: Table, name: string): boolean {
  const type = table.columns.find((column) => column.name === name)?.type ?? ""
  if (/INT/.test(type)) return true
  if (/CHAR|CLOB|TEXT/.test(type)) return false
  throw new Error(
    `${table.name}.${name} has references, and is neither text nor an integer: no value of it is sure to be unused`,
  )
}
