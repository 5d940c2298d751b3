import { isLoopback } from "../base/loopback.ts"
import { committedEnvironments } from "./committed.ts"
import { readStack, type Stack } from "./read.ts"
import { type Configuration, type EnvironmentFile, readSubject } from "./subject.ts"

type Deployed = Stack & {
  /** Files of other environments whose secrets nobody here can compare with this one's. */
  sealedElsewhere: string[]
}

/** What the engine is about to deploy, by the rules and beside the committed files. */
export function readDeployed(
  stack: string,
  configuration: Configuration,
  files: () => EnvironmentFile[] = committedEnvironments,
): Deployed {
  const file = `Pulumi.${stack}.yaml`
  const here = isLoopback(configuration["cloudflare:baseUrl"] ?? "")
  const neighbours = here ? [] : files()
  const path = neighbours.find((one) => one.stack === stack && !one.template)?.path
  const read = readStack({ name: stack, file, configuration, path, neighbours, opened: true })
  const hasSecrets = configuration["accounts:secrets"] !== undefined
  const others = neighbours.filter((one) => hasSecrets && one.path !== path && hasSeals(one))
  return { ...read, sealedElsewhere: others.map(({ label }) => label) }
}

function hasSeals(file: EnvironmentFile): boolean {
  return Object.keys(readSubject(file).seals).some((key) => key.startsWith("accounts:secrets."))
}
