import { createHash } from "node:crypto"
import { join } from "node:path"

import { root } from "../../base/root.ts"
import type { DatabasePlace } from "../../deploy/api.ts"
import { openDatabase } from "../../environment/own-names.ts"
import { project } from "../../environment/project/own-project.ts"
import { importDump } from "../database/d1-account.ts"
import { readIfExists } from "../process/is-alive.ts"

/**
 * Runs environments/seed.sql, where the checkout has one, in a preview that nobody has signed up in: all
 * of it, or nothing. @returns whether it did
 */
export async function seedPreview(place: DatabasePlace): Promise<boolean> {
  const seed = readIfExists(join(root, "environments", "seed.sql"))
  if (seed === undefined) return false
  const database = openDatabase(place)
  if ((await database.ask(project.operator.anyUser)).length > 0) return false
  // The bookmark makes it another file than that of an earlier run, which D1 would not take again.
  const script = `-- at ${await database.bookmark()}\n${seed}`
  const md5 = createHash("md5").update(script).digest("hex")
  const { signal } = new AbortController()
  await importDump(place, { blob: new Blob([script]), md5 }, { signal })
  return true
}
