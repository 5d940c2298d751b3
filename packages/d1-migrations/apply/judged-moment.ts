import { momentMark, selectFailure } from "../guard/refusal-statement.ts"
import type { Names } from "../names.ts"
import type { SchemaObject } from "../schema/scratch-database.ts"
import { literal } from "../sql/literal.ts"

/** The moment on which a file was judged. */
export type JudgedMoment = {
  /** The newest name in the ledger; undefined when it is empty. */
  head: string | undefined
  /** Of its schema; "as recorded" is the one that the file named by `head` left in this run. */
  schema: number | "as recorded"
}

/** A condition that is true at this moment, and fails the request at any other. */
export function whenJudged({ head, schema }: JudgedMoment, names: Names): string {
  const expectedHead = head === undefined ? "NULL" : literal(head)
  const before = head === undefined ? "was empty" : `ended with ${head}`
  const recordedSum = `(SELECT schema_sum FROM "${names.sidecar}" WHERE name = ${expectedHead})`
  const differences = [
    {
      what: `'the ledger ends with ' || coalesce(head, 'nothing') || ${literal(` now, and ${before} when it was judged`)}`,
      from: `(SELECT (SELECT name FROM "${names.ledger}" ORDER BY id DESC LIMIT 1) AS head)`,
      when: `head IS NOT ${expectedHead}`,
    },
    {
      what: literal("the schema is not the one that was judged"),
      from: `(SELECT ${schemaSum(names)} AS found)`,
      when: `found IS NOT ${schema === "as recorded" ? recordedSum : schema}`,
    },
  ]
  const checks = differences.map((difference) => `(${selectFailure(difference, momentMark)})`)
  return `coalesce(${checks.join(", ")}, 1)`
}

/**
 * A number for a schema, of every character and its place in its object: D1 has no hash function. It
 * stays exact in a JavaScript number for nine thousand objects.
 */
export function schemaSum({ ledger, sidecar }: Names): string {
  return `(SELECT coalesce(sum(number * number), 0) FROM (
SELECT (WITH RECURSIVE place (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM place WHERE i < length(object.text))
  SELECT sum(i * unicode(substr(object.text, i, 1))) FROM place) % 999983 AS number
FROM (SELECT name || ' ' || sql AS text FROM sqlite_master WHERE sql IS NOT NULL
  AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\'
  AND name NOT IN (${literal(ledger)}, ${literal(sidecar)}, 'd1_migrations_refused')) AS object))`
}

/** The same of objects that were read, without those two tables. */
export function schemaSumOf(objects: SchemaObject[]): number {
  return objects
    .map(({ name, sql }) => numberOf(`${name} ${sql}`) % 999_983)
    .reduce((sum, number) => sum + number * number, 0)
}

/** By code points, as SQLite counts characters. */
function numberOf(text: string): number {
  const characters = Array.from(text, (character) => character.codePointAt(0) ?? 0)
  return characters.reduce((sum, code, index) => sum + (index + 1) * code, 0)
}
