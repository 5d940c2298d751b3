/** Runs an action so often, each run after the previous one, and returns the results. */
export async function repeat<Result>(count: number, action: (index: number) => Promise<Result>) {
  const results: Result[] = []
  for (let index = 0; index < count; index += 1) results.push(await action(index))
  return results
}
