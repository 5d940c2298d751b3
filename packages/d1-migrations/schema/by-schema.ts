import type { ScratchDatabase } from "./scratch-database.ts"

/** Schemas of which the answers are kept: those before and after a file. */
const mostSchemas = 4

/**
 * Answers a question again without asking, as long as a database has a schema, or another one has the
 * same: each file finds what the one before it left. Only for what the schema alone decides.
 */
export function bySchema<Answer>(
  ask: (database: ScratchDatabase) => Answer,
): (database: ScratchDatabase) => Answer {
  const known = new Map<string, Answer>()
  return (database) => {
    const schema = database.schema()
    const answer = known.get(schema) ?? ask(database)
    known.delete(schema)
    known.set(schema, answer)
    for (const oldest of [...known.keys()].slice(0, -mostSchemas)) known.delete(oldest)
    return answer
  }
}
