import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

import {
  type DrizzleKitRecording,
  drizzleKitRecording,
  triedShapes,
} from "@accounts-stack/d1-migrations/testing/internals"
import * as z from "zod"

import { root } from "../../../base/root.ts"
import { startLocalCloudflare } from "../../../deploy/testing/local-cloudflare.ts"
import { migrateByDrizzleKit } from "./migrate.ts"

/**
 * Runs drizzle-kit on every file of the table of hazards, and records what it does to the rows in
 * packages/d1-migrations/lint/testing/drizzle-kit.json, from which `npm run fix` writes the table.
 * To be run again when drizzle-kit or drizzle-orm changes, or a file is added.
 */
await using cloudflare = await startLocalCloudflare()

const verdicts: DrizzleKitRecording["verdicts"] = {}
for (const shape of triedShapes()) {
  verdicts[shape.title] = await migrateByDrizzleKit(cloudflare, shape)
  process.stderr.write(`${shape.title}: ${verdicts[shape.title]}\n`)
}
const versions = {
  "drizzle-kit": versionOf("drizzle-kit"),
  "drizzle-orm": versionOf("drizzle-orm"),
}
const recording: DrizzleKitRecording = { versions, verdicts }
writeFileSync(drizzleKitRecording, `${JSON.stringify(recording, null, 2)}\n`)
process.exit()

function versionOf(name: string): string {
  const manifest = readFileSync(join(root, "node_modules", name, "package.json"), "utf8")
  return z.object({ version: z.string() }).parse(JSON.parse(manifest)).version
}
