import { existsSync, readFileSync } from "node:fs"

import { parseDocument } from "yaml"
import * as z from "zod"

import { Environment } from "./environment.ts"
import { invalidEnvironment, readStack, type Configuration, type Stack } from "./read.ts"
import { cloudflareApi } from "./rules.ts"

/** Replaces an encrypted value while a stack file is checked without its key. */
const placeholder = "sealed-until-the-engine-opens-it-0000"

const Encrypted = z.strictObject({ secure: z.string().min(1) })

/** Keys whose values are encrypted one by one. */
const sealed = new Set(["secrets", "trialHeaders"])

/** The top-level keys of a Pulumi stack file that this project uses. */
export const StackFile = z.strictObject({
  encryptionsalt: z
    .string()
    .optional()
    .meta({ description: "Salt of the passphrase secrets provider" }),
  encryptedkey: z.string().optional(),
  secretsprovider: z
    .string()
    .optional()
    .meta({ description: "What encrypts this stack's secrets" }),
  config: z.record(z.string(), z.unknown()),
})

/**
 * Checks a stack file before any engine starts, without decrypting its secrets.
 * @throws ENVIRONMENT_INVALID, with the line number when the YAML is malformed
 */
export function readStackFile({
  path,
  name,
  label = path,
}: {
  path: string
  name: string
  label?: string
}): Stack {
  return readStack({ name, file: label, configuration: readConfiguration(path, label) })
}

/** The `config` of a stack file as Pulumi would pass it, with a placeholder per encrypted value. */
export function readConfiguration(path: string, label: string): Configuration {
  const { config } = parseStackFile(path, label)
  refuseUnsealedHeaders(config, label)
  return Object.fromEntries(
    Object.entries(config).map(([key, value]) => [
      key,
      typeof value === "string" ? value : JSON.stringify(replaceEncrypted(value)),
    ]),
  )
}

/** Whoever has a service token passes Access, wherever the file lies. */
function refuseUnsealedHeaders(config: Record<string, unknown>, label: string): void {
  const headers = z.record(z.string(), z.unknown()).safeParse(config["accounts:trialHeaders"]).data
  const unsealed = Object.entries(headers ?? {}).filter(
    ([, value]) => !Encrypted.safeParse(value).success,
  )
  if (unsealed.length === 0) return
  const problems = unsealed.map(([name]) => ({
    key: `accounts:trialHeaders.${name}`,
    message: `is not encrypted: pulumi config set --secret --path 'accounts:trialHeaders.${name}'`,
  }))
  throw invalidEnvironment(label, problems)
}

export function parseStackFile(path: string, label: string): z.infer<typeof StackFile> {
  if (!existsSync(path)) {
    throw invalidEnvironment(label, [{ key: "the file", message: "does not exist" }])
  }
  const document = parseDocument(readFileSync(path, "utf8"), { prettyErrors: true })
  const [broken] = document.errors
  if (broken) {
    throw invalidEnvironment(label, [
      { key: "YAML:", message: broken.message.split("\n")[0] ?? "" },
    ])
  }
  const { data, error } = StackFile.safeParse(document.toJS())
  if (data) return data
  throw invalidEnvironment(
    label,
    error.issues.map(({ path: at, message }) => ({ key: at.join(".") || "the file", message })),
  )
}

function replaceEncrypted(value: unknown): unknown {
  if (Encrypted.safeParse(value).success) return placeholder
  if (Array.isArray(value)) return value.map(replaceEncrypted)
  if (value !== null && typeof value === "object") {
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, replaceEncrypted(inner)]),
    )
  }
  return value
}

/** JSON Schema of a stack file, for editors; committed as `environments/stack.schema.json`. */
export function stackFileSchema(): object {
  const { properties = {}, required = [] } = z.toJSONSchema(Environment, { io: "input" })
  const encrypted = z.toJSONSchema(Encrypted)
  const { $schema: _, ...encryptedValue } = encrypted
  const config = Object.fromEntries(
    Object.entries(properties).map(([key, property]) => [
      `accounts:${key}`,
      sealed.has(key) && typeof property === "object"
        ? {
            type: "object",
            additionalProperties: encryptedValue,
            description: property.description,
          }
        : property,
    ]),
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
