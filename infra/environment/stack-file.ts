import { existsSync, readFileSync } from "node:fs"

import { parseDocument } from "yaml"
import * as z from "zod"

import { Environment } from "./environment.ts"
import { InvalidEnvironment, readStack, type Configuration, type Stack } from "./read.ts"
import { cloudflareApi } from "./rules.ts"

/** Value that stands for an encrypted one while a stack file is checked without its key. */
const placeholder = "sealed-until-the-engine-opens-it-0000"

const Sealed = z.strictObject({ secure: z.string().min(1) })

/** What Pulumi itself allows at the top of a stack file, less what this project has no use for. */
export const StackFile = z.strictObject({
  encryptionsalt: z
    .string()
    .optional()
    .meta({ description: "Salt of the passphrase secrets provider" }),
  encryptedkey: z.string().optional(),
  secretsprovider: z.string().optional().meta({ description: "Who seals this stack's secrets" }),
  config: z.record(z.string(), z.unknown()),
})

/**
 * Checks a stack file before any engine starts, its secrets still sealed.
 * @throws InvalidEnvironment naming the file, and the line where YAML itself is wrong.
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

/** The `config` of a stack file as Pulumi would hand it to the program, sealed values replaced. */
export function readConfiguration(path: string, label: string): Configuration {
  const { config } = parseStackFile(path, label)
  return Object.fromEntries(
    Object.entries(config).map(([key, value]) => [
      key,
      typeof value === "string" ? value : JSON.stringify(unseal(value)),
    ]),
  )
}

export function parseStackFile(path: string, label: string): z.infer<typeof StackFile> {
  if (!existsSync(path)) {
    throw new InvalidEnvironment(label, [{ key: "the file", message: "does not exist" }])
  }
  const document = parseDocument(readFileSync(path, "utf8"), { prettyErrors: true })
  const [broken] = document.errors
  if (broken) {
    throw new InvalidEnvironment(label, [
      { key: "YAML:", message: broken.message.split("\n")[0] ?? "" },
    ])
  }
  const { data, error } = StackFile.safeParse(document.toJS())
  if (data) return data
  throw new InvalidEnvironment(
    label,
    error.issues.map(({ path: at, message }) => ({ key: at.join(".") || "the file", message })),
  )
}

function unseal(value: unknown): unknown {
  if (Sealed.safeParse(value).success) return placeholder
  if (Array.isArray(value)) return value.map(unseal)
  if (value !== null && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, unseal(inner)]))
  }
  return value
}

/** JSON Schema of a stack file, for editors; committed as `environments/stack.schema.json`. */
export function stackFileSchema(): object {
  const { properties = {}, required = [] } = z.toJSONSchema(Environment, { io: "input" })
  const sealed = z.toJSONSchema(Sealed)
  const { $schema: _, ...sealedValue } = sealed
  const config = Object.fromEntries(
    Object.entries(properties).map(([key, property]) => [
      `accounts:${key}`,
      key === "secrets"
        ? {
            type: "object",
            additionalProperties: sealedValue,
            description: "Secret bindings by name, encrypted",
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
