import * as pulumi from "@pulumi/pulumi"
import { expect, test } from "vitest"

import { bindings } from "../../../../app/bindings.ts"
import { plainBindings } from "../../environment/bindings.ts"
import type { BindingDeclaration } from "../../environment/project/binding.ts"
import { environmentOf } from "../../environment/testing/environment.ts"
import { bindingsOf, type ExternalBindings, requireExternalBindings } from "./bindings.ts"

function bind(changes: { scriptName?: string; secrets?: Record<string, pulumi.Output<string>> }) {
  const { scriptName = "accounts-test", secrets = {} } = changes
  const environment = environmentOf()
  return bindingsOf({ environment, scriptName, databaseId: "database", schemaUse: "{}", secrets })
}

test("a version has the infrastructure, the plain text and the secrets of its stack", async () => {
  const bound = bind({ secrets: { AUTH_SECRET: pulumi.secret("value") } })
  const plain = plainBindings(environmentOf())
  expect(Object.keys(bound)).toHaveLength(Object.keys(plain).length + 7)
  expect(bound).toMatchObject({
    DB: { type: "d1", database_id: "database" },
    VERSION: { type: "version_metadata" },
    ENVIRONMENT: { type: "plain_text", text: "preview" },
    SCHEMA_USE: { type: "plain_text", text: "{}" },
    LIMIT_ADDRESS: { type: "ratelimit", simple: bindings.LIMIT_ADDRESS.simple },
    LIMIT_EMAIL: { type: "ratelimit", simple: bindings.LIMIT_EMAIL.simple },
    LIMIT_MEMBER: { type: "ratelimit", simple: bindings.LIMIT_MEMBER.simple },
  })
  expect(await secretIn(bound["AUTH_SECRET"])).toEqual({ type: "secret_text", text: "value" })
})

test("a secret replaces a plain value with the same name", async () => {
  const { WEB_URL: bound } = bind({ secrets: { WEB_URL: pulumi.secret("value") } })
  expect(await secretIn(bound)).toEqual({ type: "secret_text", text: "value" })
})

/** Returns the value of a secret; fails if the output as a whole is not secret. */
async function secretIn(binding: unknown): Promise<unknown> {
  if (!pulumi.Output.isInstance(binding)) throw new Error("not an output")
  expect(await pulumi.isSecret(binding)).toBe(true)
  return new Promise((resolve) => binding.apply(resolve))
}

test("no two Workers and no two bindings share a rate-limit counter", () => {
  const namespaces = ["accounts-one", "accounts-two"].flatMap((scriptName) =>
    Object.values(bind({ scriptName })).flatMap((binding) =>
      "namespace_id" in binding ? [binding.namespace_id] : [],
    ),
  )
  expect(namespaces).toHaveLength(6)
  expect(new Set(namespaces).size).toBe(6)
  for (const namespace of namespaces) expect(namespace).toMatch(/^[1-9]\d{0,9}$/)
  expect(bind({ scriptName: "accounts-one" })).toEqual(bind({ scriptName: "accounts-one" }))
})

const summary = "What members have uploaded."
const declared: Record<string, BindingDeclaration> = {
  DB: { type: "d1", required: "always", summary },
  FILES: { type: "r2_bucket", required: "always", summary },
  JOBS: { type: "queue", required: "permanent", summary },
  AI: { type: "ai", required: "never", summary },
}

test("what the program binds beside app/bindings.ts, and what it leaves out, is refused at once", () => {
  const judge = (environment: "preview" | "production", foreignBindings: ExternalBindings) => () =>
    requireExternalBindings({ declared, environment: { environment }, external: foreignBindings })
  const files = { bucket_name: "files" }
  expect(judge("preview", { FILES: files })).not.toThrow()
  expect(judge("production", { FILES: files, JOBS: { queue_name: "jobs" }, AI: {} })).not.toThrow()
  expect(judge("production", { DB: { id: "another" }, PAIRS: {} })).toThrow(
    [
      "infra/index.ts gives Service no binding FILES (r2_bucket), as app/bindings.ts declares it",
      "infra/index.ts gives Service no binding JOBS (queue), as app/bindings.ts declares it",
      "app/bindings.ts does not declare DB, which infra/index.ts binds",
      "app/bindings.ts does not declare PAIRS, which infra/index.ts binds",
    ].join("\n"),
  )
})
