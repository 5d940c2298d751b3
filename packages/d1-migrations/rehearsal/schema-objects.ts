import type { SchemaObject } from "../schema/scratch-database.ts"

/** Names with their type, as in `index user_email`. */
export type ObjectChanges = { added: string[]; changed: string[]; dropped: string[] }

export function compareObjects(before: SchemaObject[], after: SchemaObject[]): ObjectChanges {
  const [was, is] = [definitions(before), definitions(after)]
  return {
    added: [...is.keys()].filter((name) => !was.has(name)),
    changed: [...is]
      .filter(([name, sql]) => was.has(name) && was.get(name) !== sql)
      .map(([name]) => name),
    dropped: [...was.keys()].filter((name) => !is.has(name)),
  }
}

/** Without what a rebuild may write in another way: quotes and blanks. */
function definitions(objects: SchemaObject[]): Map<string, string> {
  return new Map(
    objects.map(({ type, name, sql }) => [`${type} ${name}`, sql.replaceAll(/["`[\]\s]+/g, " ")]),
  )
}
