/** With foreign keys off. Indexes go with their tables, and tables of virtual ones with those. */
export function dropStatements(objects: SchemaObject[]): string[] {
  const isVirtual = ({ sql }: SchemaObject) => /^CREATE\s+VIRTUAL/i.test(sql)
  const of = (type: string) => objects.filter((one) => one.type === type)
  const tables = of("table").toSorted((a, b) => Number(isVirtual(b)) - Number(isVirtual(a)))
  return [...of("trigger"), ...of("view"), ...tables].map(
    ({ type, name }) => `DROP ${type.toUpperCase()} IF EXISTS ${quoteName(name)};`,
  )
}
import { quoteName, type SchemaObject } from "@accounts-stack/d1-migrations/schema"
