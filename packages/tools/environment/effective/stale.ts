import { changesBetween, describeChanges } from "./changes.ts"
import { renderEnvironments } from "./rendered.ts"

/** Effective files that say something else than they would if they were rendered now, with the difference. */
export async function findStale(directory: string): Promise<{ path: string; diff: string }[]> {
  const rendered = await renderEnvironments(directory)
  return rendered
    .filter(({ text, committed }) => text !== undefined && text !== committed)
    .map(({ path, text, committed }) => ({
      path,
      diff: describeChanges(changesBetween(committed, text)) || "its comments or its order",
    }))
}
