import * as pulumi from "@pulumi/pulumi"

import { isForeign } from "../../environment/bindings.ts"
import type { Environment } from "../../environment/environment.ts"
import type { BindingDeclaration } from "../../environment/project/binding.ts"
import { permanent } from "../../environment/stack-keys.ts"

/** By name, all of a binding but its type, which app/bindings.ts says, in the words of Cloudflare's API. */
export type ForeignBindings = Record<
  string,
  Record<string, pulumi.Input<string | number | boolean>>
>

type Request = {
  declared: Record<string, BindingDeclaration>
  environment: Pick<Environment, "environment">
  given: ForeignBindings
}

/** Compares what app/bindings.ts declares of foreign kinds with what the program gives. @throws RunError */
export function expectForeignBindings({ declared, environment, given }: Request): void {
  const foreign = new Map(Object.entries(declared).filter(([, one]) => isForeign(one)))
  const missing = [...foreign].flatMap(([name, { type, required }]) => {
    const isNeeded = required === "always" || (required === "permanent" && permanent(environment))
    if (!isNeeded || name in given) return []
    return [
      `infra/index.ts gives Service no binding ${name} (${type}), as app/bindings.ts declares it`,
    ]
  })
  const undeclared = Object.keys(given).flatMap((name) =>
    foreign.has(name)
      ? []
      : [`app/bindings.ts does not declare ${name}, which infra/index.ts binds`],
  )
  const problems = [...missing, ...undeclared]
  if (problems.length > 0) throw new pulumi.RunError(problems.join("\n"))
}
