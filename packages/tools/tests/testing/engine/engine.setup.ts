import { findEngine } from "../../../cli/engine/engine.ts"
import { engineProgress } from "../../../cli/engine/executable.ts"

/**
 * Installs the engine before the tests: a first build takes minutes, longer than a test's timeout.
 * Its starts are so short that collecting garbage takes a tenth of them, so it does that less often.
 */
export default async function setup(): Promise<void> {
  process.env["GOGC"] ??= "400"
  await findEngine({ onProgress: engineProgress() })
}
