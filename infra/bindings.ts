import { createHash } from "node:crypto"

import type * as cloudflare from "@pulumi/cloudflare"
import type * as pulumi from "@pulumi/pulumi"

import { bindings } from "../app/bindings.ts"
import type { Environment } from "./environment/environment.ts"
import { plainBindings } from "./plain-bindings.ts"

type Binding = cloudflare.types.input.WorkerVersionBinding & { name: string }

type Sources = {
  environment: Environment
  scriptName: string
  databaseId: pulumi.Input<string>
  /** By the name of their binding. */
  secrets: Record<string, pulumi.Output<string>>
}

/**
 * The bindings of a version, sorted by name as the API returns them.
 * @throws Error when app/bindings.ts lists a type of binding that is not handled here.
 */
export function bindingsOf(sources: Sources): Binding[] {
  const { environment, secrets } = sources
  const plain = plainBindings(environment)
  const infrastructure = Object.entries(bindings).flatMap(([name, declaration]) =>
    infrastructureBinding(name, declaration, sources),
  )
  return [
    ...infrastructure,
    ...Object.entries(plain)
      .filter(([name]) => !(name in secrets))
      .map(([name, text]): Binding => ({ name, type: "plain_text", text })),
    ...Object.entries(secrets).map(([name, text]): Binding => ({
      name,
      type: "secret_text",
      text,
    })),
  ].toSorted((one, other) => compare(one.name, other.name))
}

function infrastructureBinding(
  name: string,
  declaration: { type: string; simple?: { limit: number; period: number } },
  { scriptName, databaseId }: Sources,
): Binding[] {
  switch (declaration.type) {
    case "d1":
      return [{ name, type: "d1", databaseId }]
    case "version_metadata":
      return [{ name, type: "version_metadata" }]
    case "ratelimit":
      if (!declaration.simple) throw new Error(`app/bindings.ts: ${name} needs { limit, period }`)
      return [
        {
          name,
          type: "ratelimit",
          namespaceId: rateLimitNamespace(scriptName, name),
          simple: declaration.simple,
        },
      ]
    case "plain_text":
    case "secret_text":
      return []
    default:
      throw new Error(
        `app/bindings.ts: ${name} is of type ${declaration.type}, which infra/bindings.ts cannot bind`,
      )
  }
}

/**
 * A positive 31-bit integer as text. Workers of one account share the counters of a namespace, so
 * each Worker's binding needs a number that no other one has.
 */
function rateLimitNamespace(scriptName: string, binding: string): string {
  const digest = createHash("sha256").update(`${scriptName}/${binding}`).digest()
  return String((digest.readUInt32BE(0) >>> 1) + 1)
}

/** By code unit, as the API sorts, whatever the locale of the machine. */
function compare(one: string, other: string) {
  return one < other ? -1 : Number(one > other)
}
