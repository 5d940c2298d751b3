import * as z from "zod"

import { cloudflareApi } from "../base/process-environment.ts"
import { Environment } from "./environment.ts"
import { sealedKeys } from "./rules/rule.ts"
import { Encrypted, StackFile } from "./stack-source.ts"

/** JSON Schema of a stack file, for editors; committed as `environments/stack.schema.json`. */
export function stackFileSchema(): object {
  const { properties = {}, required = [] } = z.toJSONSchema(Environment, { io: "input" })
  const { $schema: _, ...encryptedValue } = z.toJSONSchema(Encrypted)
  const config = Object.fromEntries(
    Object.entries(properties).map(([short, property]) => {
      const key = `accounts:${short}`
      if (typeof property !== "object") return [key, property]
      if (!sealedKeys.has(key)) return [key, asPulumiWrites(property)]
      const { description } = property
      return [key, { type: "object", additionalProperties: encryptedValue, description }]
    }),
  )
  const { properties: top = {} } = z.toJSONSchema(StackFile, { io: "input" })
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Stack file of Accounts",
    type: "object",
    additionalProperties: false,
    required: ["config"],
    properties: {
      ...top,
      config: {
        type: "object",
        additionalProperties: false,
        // Keys of Pulumi itself and of other providers.
        patternProperties: { "^(?!accounts:|cloudflare:)[^:]+:.+$": {} },
        required: required.map((key) => `accounts:${key}`),
        properties: {
          "cloudflare:baseUrl": {
            type: "string",
            description: `Cloudflare's API; default ${cloudflareApi}`,
          },
          ...config,
        },
      },
    },
  }
}

/** Allows texts as well, because `pulumi config set` writes "true" and "30". */
function asPulumiWrites(property: z.core.JSONSchema.BaseSchema): object {
  const { type, description, ...rest } = property
  const texts: Record<string, string> = { boolean: "^(?:true|false)$", integer: "^[0-9]+$" }
  const pattern = texts[String(type)]
  if (pattern === undefined) return property
  return {
    description,
    anyOf: [
      { type, ...rest },
      { type: "string", pattern },
    ],
  }
}
