import * as pulumi from "@pulumi/pulumi"

import { isExternal, plainBindings, rateLimitNamespace } from "../../environment/bindings.ts"
import type { Environment } from "../../environment/environment.ts"
import type { BindingDeclaration } from "../../environment/project/binding.ts"
import { project } from "../../environment/project/own-project.ts"
import { permanent } from "../../environment/stack-keys.ts"
import { schemaUseBinding } from "../version/schema-use.ts"
import type { BindingArgs } from "./accounts-provider.ts"

type Sources = {
  environment: Environment
  scriptName: string
  databaseId: pulumi.Input<string>
  /** The build's use of the schema. */
  schemaUse: string
  /** Secrets by the name of their binding. */
  secrets: Record<string, pulumi.Output<string>>
  /** The program's own bindings of other kinds, by name. */
  external?: ExternalBindings | undefined
}

/** Returns the bindings of a version by name. A secret replaces a variable of the same name. */
export function bindingsOf(sources: Sources): Record<string, BindingArgs> {
  const { environment, secrets, schemaUse } = sources
  const infrastructure = Object.entries(project.bindings).flatMap(([name, declaration]) => {
    const binding = infrastructureBinding(name, declaration, sources)
    return binding === undefined ? [] : [[name, binding] as const]
  })
  const texts = { ...plainBindings(environment), [schemaUseBinding]: schemaUse }
  const plain = Object.entries(texts).map(
    ([name, text]) => [name, { type: "plain_text" as const, text }] as const,
  )
  const secret = Object.entries(secrets).map(
    ([name, text]) =>
      [name, text.apply((value) => ({ type: "secret_text" as const, text: value }))] as const,
  )
  return Object.fromEntries<BindingArgs>([...infrastructure, ...plain, ...secret])
}

function infrastructureBinding(
  name: string,
  declaration: BindingDeclaration,
  { scriptName, databaseId, external = {} }: Sources,
): BindingArgs | undefined {
  if (isExternal(declaration)) {
    const declaredBinding = external[name]
    return declaredBinding && { ...declaredBinding, type: declaration.type }
  }
  switch (declaration.type) {
    case "d1":
      return { type: "d1", database_id: databaseId }
    case "version_metadata":
      return { type: "version_metadata" }
    case "ratelimit":
      return {
        type: "ratelimit",
        namespace_id: rateLimitNamespace(scriptName, name),
        simple: declaration.simple,
      }
    case "plain_text":
    case "secret_text":
      return undefined
    default:
      return declaration satisfies never
  }
}

/** Fields of bindings as in Cloudflare's API, by name, without the type, which app/bindings.ts declares. */
export type ExternalBindings = Record<
  string,
  Record<string, pulumi.Input<string | number | boolean>>
>

type Request = {
  declared: Record<string, BindingDeclaration>
  environment: Pick<Environment, "environment">
  external: ExternalBindings
}

/** Checks the program's external bindings against app/bindings.ts. @throws RunError */
export function requireExternalBindings({ declared, environment, external }: Request): void {
  const declaredExternals = new Map(
    Object.entries(declared).filter(([, bindingDeclaration]) => isExternal(bindingDeclaration)),
  )
  const missing = [...declaredExternals].flatMap(([name, { type, required }]) => {
    const isNeeded = required === "always" || (required === "permanent" && permanent(environment))
    if (!isNeeded || name in external) return []
    return [
      `infra/index.ts gives Service no binding ${name} (${type}), as app/bindings.ts declares it`,
    ]
  })
  const undeclared = Object.keys(external).flatMap((name) =>
    declaredExternals.has(name)
      ? []
      : [`app/bindings.ts does not declare ${name}, which infra/index.ts binds`],
  )
  const problems = [...missing, ...undeclared]
  if (problems.length > 0) throw new pulumi.RunError(problems.join("\n"))
}
