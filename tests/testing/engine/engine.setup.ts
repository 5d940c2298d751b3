import { findEngine } from "../../../cli/engine/engine.ts"
import { engineProgress } from "../../../cli/engine/progress-display.ts"

/** Installs the engine before the tests: a first build takes minutes, longer than a test's timeout. */
export default async function setup(): Promise<void> {
  await findEngine({ onProgress: engineProgress() })
}
