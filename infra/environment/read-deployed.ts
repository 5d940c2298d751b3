import { isLoopback } from "../../base/loopback.ts"
import { committedEnvironments } from "./committed.ts"
import { type KnownSecrets, openSecrets } from "./known-secrets.ts"
import { readStack, type Stack } from "./read.ts"
import type { Configuration, EnvironmentFile } from "./subject.ts"

type Deployed = Stack & Pick<KnownSecrets, "closed">

/**
 * What the engine is about to deploy, by the rules and beside the committed files, whose secrets are
 * opened where this process can.
 */
export async function readDeployed(
  stack: string,
  configuration: Configuration,
  { files = committedEnvironments, env = process.env }: Site = {},
): Promise<Deployed> {
  const file = `Pulumi.${stack}.yaml`
  const here = isLoopback(configuration["cloudflare:baseUrl"] ?? "")
  const neighbours = here ? [] : files()
  const path = neighbours.find((one) => one.stack === stack && !one.template)?.path
  const hasSecrets = configuration["accounts:secrets"] !== undefined
  const others = hasSecrets ? neighbours.filter((one) => one.path !== path) : []
  const { opened: known, closed } = await openSecrets(others, env)
  const site = { name: stack, file, configuration, path, neighbours }
  return { ...readStack({ ...site, opened: true, known }), closed }
}

type Site = { files?: () => EnvironmentFile[]; env?: NodeJS.ProcessEnv }
