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

/** What must not be lost by a change of a text, and what the environment gives up of it. */
export function lastingTexts(environment: Environment) {
  const entries = Object.entries(project.lasting ?? {}).map(([name, lasting]) => {
    const { loses, fix, nothing } = lasting
    const givenUp = lasting.givenUp(environment)
    return [name, { loses, fix, nothing, ...(givenUp !== undefined && { givenUp }) }] as const
  })
  return Object.fromEntries(entries)
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
