/** Sends named statements as one batch, and returns each result under its statement's name. */
export async function sendNamed<Statement, Result>(
  statements: Record<string, Statement>,
  send: (batch: Statement[]) => Promise<Result[]>,
) {
  const results = await send(Object.values(statements))
  return new Map(Object.keys(statements).map((name, index) => [name, results[index]]))
}
