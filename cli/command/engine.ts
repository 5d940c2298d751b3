import { dirname } from "node:path"

import { findEngine } from "../engine/engine.ts"
import { engineProgress } from "../engine/terminal.ts"
import { print } from "../output.ts"

/** Finds or makes the engine and prints its directory, ready for PATH. */
export async function engine({
  engine: enginePath,
  json,
}: {
  engine?: string | undefined
  json: boolean
}): Promise<void> {
  const found = await findEngine({ enginePath, onProgress: engineProgress() })
  print(json ? JSON.stringify(found) : dirname(found.command))
}
