import { readFileSync } from "node:fs"
import { join } from "node:path"

import * as z from "zod"

/**
 * The outcome of `drizzle-kit migrate`: it exits with 0 and `keeps` or `loses` rows; or with
 * 1, nothing done (`fails`), or done in part (`stops`), with rows missing where they belong or not.
 */
const DrizzleKitVerdict = z.enum(["keeps", "loses", "fails", "stops", "stops and loses"])
export type DrizzleKitVerdict = z.infer<typeof DrizzleKitVerdict>

const Recording = z.strictObject({
  /** Of drizzle-kit, which reads the files and sends them, and of drizzle-orm, which asks it to. */
  versions: z.strictObject({ "drizzle-kit": z.string(), "drizzle-orm": z.string() }),
  /** By title. */
  verdicts: z.record(z.string(), DrizzleKitVerdict),
})
export type DrizzleKitRecording = z.infer<typeof Recording>

export const drizzleKitRecording = join(import.meta.dirname, "drizzle-kit.json")

/** Written by `node packages/tools/tests/testing/drizzle-kit/record-verdicts.ts`. */
export function readDrizzleKitRecording(): DrizzleKitRecording {
  return Recording.parse(JSON.parse(readFileSync(drizzleKitRecording, "utf8")))
}
