import type { Environment } from "../environment/environment.ts"
import { project } from "../project/own-project.ts"

/** Text of every plain_text binding that the environment sets, by name. */
export function plainBindings(environment: Environment): Record<string, string> {
  const values = Object.entries(project.plain).map(
    ([name, source]) => [name, source.valueOf(environment)] as const,
  )
  const clientIds = Object.entries(environment.identityProviders).map(
    ([id, { clientId }]) => [project.identityProviderBindings(id).clientId, clientId] as const,
  )
  return Object.fromEntries(
    [...values, ...clientIds].filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}

/** Whether a Worker gets the second module. */
export function hasSecondModule(environment: Environment): boolean {
  const { binding = "" } = project.secondModule ?? {}
  return plainBindings(environment)[binding] !== undefined
}

/** Whether the program gives a Worker a text of this name. */
export function isPlainBinding(name: string): boolean {
  return name === "SCHEMA_USE" || name in project.plain || /^IDP(?:_\w+)?_CLIENT_ID$/.test(name)
}
