import * as pulumi from "@pulumi/pulumi"
import { expect, test } from "vitest"

import { bindings } from "../../../../app/bindings.ts"
import { plainBindings } from "../../environment/bindings.ts"
import { environmentOf } from "../../environment/testing/environment.ts"
import { bindingsOf } from "./bindings.ts"

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

/** What a secret holds; fails for anything that is not one as a whole. */
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
