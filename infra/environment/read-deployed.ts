import { isLoopback } from "../../loopback.ts"
import { committedEnvironments } from "./committed.ts"
import { readStack, type Stack } from "./read.ts"
import type { Configuration } from "./subject.ts"

/** What the engine is about to deploy, by the rules and beside the committed files. */
export function readDeployed(stack: string, configuration: Configuration): Stack {
  const file = `Pulumi.${stack}.yaml`
  const here = isLoopback(configuration["cloudflare:baseUrl"] ?? "")
  const neighbours = here ? [] : committedEnvironments()
  const path = neighbours.find((one) => one.stack === stack && !one.template)?.path
  return readStack({ name: stack, file, configuration, opened: true, path, neighbours })
}
