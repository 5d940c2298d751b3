import { isSameName, quoteName, type Table } from "../schema/schema.ts"

/** Far from every key that counts up, so that no row refers to one that was moved. */
const distance = "4611686018427387904"

/**
 * The assignments after which no row refers to the table, which are undone by filling it anew.
 * @throws Error saying which key cannot be moved
 */
export function movedKeys(table: Table, schema: Table[]): string {
  const keys = schema.flatMap((child) =>
    child.foreignKeys
      .filter(({ parent }) => isSameName(parent, table.name))
      .map((key) => ({ key, child: child.name })),
  )
  const columns = new Set<string>()
  for (const { child, key } of keys) {
    const { onUpdate, columns: from, parentColumns } = key
    if (onUpdate !== "NO ACTION") {
      throw new Error(
        `${child}.${from.join(", ")} refers to ${table.name} ON UPDATE ${onUpdate}: its rows would follow the keys that are moved away. Rebuild ${child} with ON UPDATE NO ACTION first.`,
      )
    }
    const [first = ""] = parentColumns
    columns.add(table.columns.find(({ name }) => isSameName(name, first))?.name ?? first)
  }
  return [...columns].map((name) => assignment(table, name)).join(", ")
}

function assignment(table: Table, name: string): string {
  const column = table.columns.find((one) => one.name === name)
  const quoted = quoteName(name)
  if (column !== undefined && /INT/.test(column.type)) return `${quoted} = ${quoted} - ${distance}`
  if (column !== undefined && /CHAR|CLOB|TEXT/.test(column.type)) {
    return `${quoted} = 'moved:' || ${quoted}`
  }
  throw new Error(
    `${table.name}.${name}, to which others refer, is neither text nor an integer: no value of it is sure to be unused`,
  )
}
