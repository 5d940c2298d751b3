import { paintFor } from "../../output.ts"
import { describeSource, type Restored } from "./restore.ts"

/** For people. */
export function describeRestored({ stack, source, undo, versionId }: Restored): string {
  const paint = paintFor(process.stdout)
  return [
    `${paint.green("✓")} The database of ${stack} is at ${describeSource(source)}.`,
    `  version ${versionId} serves`,
    `  what was there before: ./accounts database restore -s ${stack} --to ${undo}`,
  ].join("\n")
}
