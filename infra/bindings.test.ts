import * as pulumi from "@pulumi/pulumi"
import { expect, test } from "vitest"

import { bindings } from "../app/bindings.ts"
import { bindingsOf } from "./bindings.ts"
import { plainBindings } from "./plain-bindings.ts"
import { environmentOf } from "./testing/environment.ts"

function bind(changes: { scriptName?: string; secrets?: Record<string, pulumi.Output<string>> }) {
  const { scriptName = "accounts-test", secrets = {} } = changes
  return bindingsOf({ environment: environmentOf(), scriptName, databaseId: "database", secrets })
}

test("a version has the infrastructure, the plain text and the secrets of its stack", () => {
  const secret = pulumi.secret("value")
  const bound = bind({ secrets: { AUTH_SECRET: secret } })
  const plain = plainBindings(environmentOf())
  expect(bound).toHaveLength(Object.keys(plain).length + 5)
  expect(bound).toEqual(
    expect.arrayContaining([
      { name: "DB", type: "d1", databaseId: "database" },
      { name: "VERSION", type: "version_metadata" },
      { name: "ENVIRONMENT", type: "plain_text", text: "preview" },
      { name: "AUTH_SECRET", type: "secret_text", text: secret },
    ]),
  )
  const limited = bound.filter(({ type }) => type === "ratelimit")
  expect(limited.map(({ name, simple }) => ({ name, simple }))).toEqual([
    { name: "LIMIT_ADDRESS", simple: bindings.LIMIT_ADDRESS.simple },
    { name: "LIMIT_EMAIL", simple: bindings.LIMIT_EMAIL.simple },
  ])
})

test("bindings are sorted by name as the API returns them", () => {
  const names = bind({}).map(({ name }) => name)
  expect(names).toEqual([...names].toSorted())
})

test("a secret replaces a plain value with the same name", () => {
  const secret = pulumi.secret("value")
  const found = bind({ secrets: { WEB_URL: secret } }).filter(({ name }) => name === "WEB_URL")
  expect(found).toEqual([{ name: "WEB_URL", type: "secret_text", text: secret }])
})

test("no two Workers and no two bindings share a rate-limit counter", () => {
  const namespaces = ["accounts-one", "accounts-two"].flatMap((scriptName) =>
    bind({ scriptName }).flatMap(({ namespaceId }) => namespaceId ?? []),
  )
  expect(namespaces).toHaveLength(4)
  expect(new Set(namespaces).size).toBe(4)
  for (const namespace of namespaces) expect(namespace).toMatch(/^[1-9]\d{0,9}$/)
  expect(bind({ scriptName: "accounts-one" })).toEqual(bind({ scriptName: "accounts-one" }))
})
