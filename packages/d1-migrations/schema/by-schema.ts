import type { ScratchDatabase } from "./scratch-database.ts"

/** Schemas of which the answers are kept: those of one trial, before and after its file. */
const mostSchemas = 12

/**
 * Answers a question again without asking, as long as a database has a schema, or another one has the
 * same: a trial asks the same of many copies. Only for what the schema alone decides.
 */
export function bySchema<Args extends string[], Answer>(
  ask: (database: ScratchDatabase, ...args: Args) => Answer,
): (database: ScratchDatabase, ...args: Args) => Answer {
  const known = new Map<string, Map<string, Answer>>()
  return (database, ...args) => {
    const schema = database.schema()
    const answers = known.get(schema) ?? new Map<string, Answer>()
    known.delete(schema)
    known.set(schema, answers)
    for (const oldest of [...known.keys()].slice(0, -mostSchemas)) known.delete(oldest)
    const question = args.join("\n")
    const answer = answers.get(question) ?? ask(database, ...args)
    answers.set(question, answer)
    return answer
  }
}
