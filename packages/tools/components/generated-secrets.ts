import { isLoopback } from "../base/loopback.ts"
import { permanent, type Readable } from "../environment/stack-keys.ts"
import { project } from "../project/own-project.ts"
import type { GeneratedSecret } from "../project/project.ts"

/** Bindings of the secrets that a stack generates because its file does not bring them. */
export function secretsToGenerate(stack: Readable): string[] {
  return Object.entries(project.generated)
    .filter(([name, { made }]) => isMade(made, stack) && !(name in (stack.secrets ?? {})))
    .map(([name]) => name)
}

function isMade(made: GeneratedSecret["made"], stack: Readable): boolean {
  if (made === "everywhere") return true
  if (permanent(stack)) return false
  if (made === "unless permanent") return true
  return isLoopback(made.besideSandbox(stack) ?? "")
}
