import { createHash } from "node:crypto"

import type { Environment } from "./environment.ts"
import type { BindingDeclaration, ExternalKind } from "./project/binding.ts"
import { project } from "./project/own-project.ts"

/** Returns the text of every plain_text binding that the environment sets, by name. */
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

/** Returns the bindings whose value must not change, and the values that the environment allows to be lost. */
export function persistentValues(environment: Environment) {
  const entries = Object.entries(project.lasting ?? {}).map(([name, lasting]) => {
    const { loses, fix, nothing } = lasting
    const givenUp = lasting.givenUp(environment)
    return [name, { loses, fix, nothing, ...(givenUp !== undefined && { givenUp }) }] as const
  })
  return Object.fromEntries(entries)
}

/** Whether a Worker gets the second module. */
export function hasSecondModule(environment: object): boolean {
  const { binding = "" } = project.secondModule ?? {}
  return project.plain[binding]?.valueOf(environment) !== undefined
}

/** Whether a Worker gets a plain_text binding of this name. */
export function isPlainBinding(name: string): boolean {
  return name === "SCHEMA_USE" || name in project.plain || /^IDP(?:_\w+)?_CLIENT_ID$/.test(name)
}

/**
 * A positive 31-bit integer as text. Workers of one account share the counters of a namespace, so
 * each binding of a Worker needs a unique number.
 */
export function rateLimitNamespace(scriptName: string, binding: string): string {
  const digest = createHash("sha256").update(`${scriptName}/${binding}`).digest()
  return String((digest.readUInt32BE(0) >>> 1) + 1)
}

type ExternalDeclaration = Extract<BindingDeclaration, { type: ExternalKind }>

/** Kinds that come from an environment or from this program; infra/index.ts binds all others. */
const ownKinds = new Set(["d1", "version_metadata", "plain_text", "secret_text", "ratelimit"])

export function isExternal(declaration: BindingDeclaration): declaration is ExternalDeclaration {
  return !ownKinds.has(declaration.type)
}
