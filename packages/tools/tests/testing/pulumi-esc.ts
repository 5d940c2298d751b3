import { readFileSync } from "node:fs"

import { parse } from "yaml"
import * as z from "zod"

const Environment = z.strictObject({
  values: z.looseObject({
    pulumiConfig: z.record(z.string(), z.unknown()),
    environmentVariables: z.record(z.string(), z.string()),
  }),
})

const Login = z.strictObject({
  oidc: z.strictObject({ roleArn: z.string(), sessionName: z.string(), duration: z.string() }),
})

const Keys = z.strictObject({
  accessKeyId: z.string(),
  secretAccessKey: z.string(),
  sessionToken: z.string(),
})

const Secrets = z.strictObject({
  region: z.string(),
  login: Keys,
  get: z.record(z.string(), z.strictObject({ secretId: z.string() })),
})

/**
 * Resolves an environment of Pulumi ESC as Pulumi Cloud would, with these secrets of AWS: references, and the
 * two providers as https://www.pulumi.com/docs/esc/integrations/ describes their inputs and outputs.
 */
export function resolveEsc(path: string, secrets: Record<string, string>) {
  const { values } = Environment.parse(parse(readFileSync(path, "utf8")))

  function resolve(value: unknown): unknown {
    if (typeof value === "string") {
      const reference = /^\$\{([\w.]+)\}$/.exec(value)?.[1]
      return reference === undefined ? value : lookUp(reference.split("."))
    }
    if (typeof value !== "object" || value === null) return value
    const entries = Object.entries(value).map(([key, inner]) => [key, resolve(inner)] as const)
    const provider = entries.find(([key]) => key.startsWith("fn::open::"))
    return provider === undefined ? Object.fromEntries(entries) : open(...provider)
  }

  /** Resolves on a path only what a provider opens: the rest may refer back. */
  function lookUp(keys: string[]): unknown {
    const result = keys.reduce<unknown>((value, key) => {
      const opened = JSON.stringify(value).startsWith('{"fn::open::') ? resolve(value) : value
      const inner = z.record(z.string(), z.unknown()).parse(opened)[key]
      if (inner === undefined) throw new Error(`There is no ${keys.join(".")}.`)
      return inner
    }, values)
    return resolve(result)
  }

  function open(name: string, inputs: unknown): Record<string, string> {
    if (name === "fn::open::aws-login") {
      const { oidc } = Login.parse(inputs)
      return { accessKeyId: oidc.roleArn, secretAccessKey: "short", sessionToken: oidc.duration }
    }
    if (name !== "fn::open::aws-secrets") throw new Error(`Unknown provider: ${name}`)
    const { get } = Secrets.parse(inputs)
    return Object.fromEntries(
      Object.entries(get).map(([key, { secretId }]) => {
        const value = secrets[secretId]
        if (value === undefined) throw new Error(`AWS has no secret ${secretId}.`)
        return [key, value]
      }),
    )
  }

  return Environment.parse({ values: resolve(values) }).values
}
