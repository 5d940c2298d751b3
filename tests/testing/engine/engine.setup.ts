import { findEngine } from "../../../cli/engine/engine.ts"
import { engineProgress } from "../../../cli/engine/progress-display.ts"

/** Before any deployment is tested: a first build takes minutes, which is no test's to wait for. */
export default async function setup(): Promise<void> {
  await findEngine({ onProgress: engineProgress() })
}
