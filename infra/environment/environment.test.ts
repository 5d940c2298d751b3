import { mkdtempSync, readFileSync, readdirSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { expect, test } from "vitest"

import { root } from "../../root.ts"
import { protection } from "./environment.ts"
import { readStack, type Configuration } from "./read.ts"
import { readConfiguration, readStackFile, stackFileSchema } from "./stack-file.ts"

const staging: Configuration = {
  "accounts:environment": "staging",
  "accounts:accountId": "0123456789abcdef0123456789abcdef",
  "accounts:zone": "example.com",
  "accounts:apiOrigin": "https://api.staging.example.com",
  "accounts:webOrigin": "https://app.staging.example.com",
  "accounts:cookieDomain": "staging.example.com",
  "accounts:mailUrl": "https://mail.example.com/send",
  "accounts:secrets": JSON.stringify({ AUTH_SECRET: "x".repeat(64) }),
}

function read(changes: Record<string, string | undefined>, name = "staging") {
  const merged = Object.entries({ ...staging, ...changes })
  const configuration = Object.fromEntries(
    merged.filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
  return readStack({ name, file: "Pulumi.staging.yaml", configuration })
}

function write(content: string) {
  const path = join(mkdtempSync(join(tmpdir(), "accounts-environment-")), "Pulumi.local.yaml")
  writeFileSync(path, content)
  return path
}

test("a valid staging is read with its defaults", () => {
  const { environment, baseUrl } = read({})
  expect(baseUrl).toBe("https://api.cloudflare.com/client/v4")
  expect(environment).toMatchObject({
    environment: "staging",
    routes: [],
    crons: ["17 * * * *"],
  })
})

test.each<[string, Record<string, string | undefined>, RegExp]>([
  [
    "an unknown key",
    { "accounts:cookiedomain": "example.com" },
    /accounts:cookiedomain is not a known key: one of/,
  ],
  ["a missing key", { "accounts:webOrigin": undefined }, /accounts:webOrigin is missing/],
  [
    "the placeholder account",
    { "accounts:accountId": "0".repeat(32) },
    /accounts:accountId is still the placeholder/,
  ],
  [
    "an origin with a path",
    { "accounts:apiOrigin": "https://api.staging.example.com/" },
    /accounts:apiOrigin must be an origin/,
  ],
  [
    "plain http",
    { "accounts:webOrigin": "http://app.staging.example.com" },
    /accounts:webOrigin must be https/,
  ],
  [
    "an http trusted origin",
    { "accounts:trustedOrigins": '["http://app.staging.example.com"]' },
    /accounts:trustedOrigins .* must be https/,
  ],
  [
    "a cookie domain beside the API",
    { "accounts:cookieDomain": "other.example.com" },
    /is not a parent of api.staging.example.com/,
  ],
  [
    "a public suffix as cookie domain",
    { "accounts:cookieDomain": "com" },
    /com is a public suffix/,
  ],
  [
    "an API outside its zone",
    { "accounts:zone": "example.org" },
    /accounts:apiOrigin is not in the zone example.org/,
  ],
  [
    "a location beside a jurisdiction",
    { "accounts:location": "weur", "accounts:jurisdiction": "eu" },
    /accounts:location is ignored by Cloudflare where accounts:jurisdiction is set/,
  ],
  ["a name with a dot", { "accounts:name": "accounts.staging" }, /accounts:name must have at most/],
  ["no zone", { "accounts:zone": undefined }, /accounts:zone is missing/],
  [
    "a route of another zone",
    { "accounts:routes": '["other.org/api/*"]' },
    /accounts:routes other.org\/api\/\* is not in the zone/,
  ],
  [
    "a missing secret",
    { "accounts:secrets": "{}" },
    /accounts:secrets.AUTH_SECRET is missing: pulumi config set --secret/,
  ],
  [
    "an unknown secret",
    { "accounts:secrets": JSON.stringify({ AUTH_SECRET: "x".repeat(64), AUTH_SECRT: "y" }) },
    /AUTH_SECRT is no secret of this service/,
  ],
  ["no mail sender", { "accounts:mailUrl": undefined }, /accounts:mailUrl is missing/],
  [
    "a sender without a domain",
    { "accounts:mailFrom": "accounts" },
    /accounts:mailFrom must be an e-mail address such as accounts@example\.com/,
  ],
  [
    "a sender that brings a header",
    { "accounts:mailFrom": "A\nBcc: b@example.com <a@example.com>" },
    /accounts:mailFrom must be an e-mail address/,
  ],
  [
    "a loopback API",
    { "cloudflare:baseUrl": "http://127.0.0.1:8790/client/v4" },
    /cloudflare:baseUrl is loopback/,
  ],
  [
    "a foreign API",
    { "cloudflare:baseUrl": "https://evil.example/client/v4" },
    /cloudflare:baseUrl may only be/,
  ],
  [
    "an API at a name of this machine",
    { "cloudflare:baseUrl": "http://localhost:8790/client/v4" },
    /cloudflare:baseUrl may only be/,
  ],
  [
    "a token in the file",
    { "cloudflare:apiToken": "x" },
    /cloudflare:apiToken is not taken from a stack file/,
  ],
  ["a fixture at Cloudflare", { "accounts:fixture": "true" }, /accounts:fixture is for tests/],
  ["another project's key", { "other:key": "x" }, /other:key is not a key of this project/],
])("%s is rejected with its key and the file", (_what, changes, message) => {
  expect(() => read(changes)).toThrow(message)
  expect(() => read(changes)).toThrow(/^Pulumi\.staging\.yaml cannot be used/)
})

test("the short key of protection gives way to that of a resource", () => {
  expect(protection(read({}).environment)).toEqual({ database: true, worker: true, hostname: true })
  const changes = { "accounts:protect": "false", "accounts:protectDatabase": "true" }
  expect(protection(read(changes).environment)).toEqual({
    database: true,
    worker: false,
    hostname: false,
  })
})

test.each(["accounts@example.com", "Accounts & Co. <accounts@example.com>"])(
  "%s may be the sender of the e-mails",
  (mailFrom) => {
    expect(read({ "accounts:mailFrom": mailFrom }).environment.mailFrom).toBe(mailFrom)
  },
)

test("every problem is in one message", () => {
  expect(() =>
    read({ "accounts:zone": undefined, "accounts:mailUrl": undefined, "accounts:secrets": "{}" }),
  ).toThrow(/accounts:zone[\s\S]*accounts:mailUrl[\s\S]*AUTH_SECRET/)
})

test("no message shows a secret", () => {
  const secrets = JSON.stringify({ AUTH_SECRET: "visible-canary", WRONG: "visible-canary" })
  expect(() => read({ "accounts:secrets": secrets })).toThrow(/^(?![\s\S]*visible-canary)/)
})

test("a preview on workers.dev must carry its Worker's name", () => {
  const preview = {
    "accounts:environment": "preview",
    "accounts:zone": undefined,
    "accounts:cookieDomain": undefined,
    "accounts:secrets": undefined,
  }
  const own = { ...preview, "accounts:apiOrigin": "https://accounts-preview-x.me.workers.dev" }
  expect(read(own, "preview-x").environment.apiOrigin).toBe(
    "https://accounts-preview-x.me.workers.dev",
  )
  expect(() => read(own, "preview-y")).toThrow(/must start with https:\/\/accounts-preview-y\./)
  const named = { ...own, "accounts:name": "accounts-preview-x" }
  expect(read(named, "preview-y").environment.name).toBe("accounts-preview-x")
})

test("a stack file that is missing, malformed or has an unknown key at the top is named", () => {
  expect(() => readStackFile({ path: "/nowhere/Pulumi.x.yaml", name: "x" })).toThrow(
    /Pulumi\.x\.yaml[\s\S]*does not exist/,
  )
  expect(() => readStackFile({ path: write("config:\n  a: [1"), name: "x" })).toThrow(
    /Pulumi\.local\.yaml[\s\S]*line 2/,
  )
  expect(() => readStackFile({ path: write("config: {}\nconfigs: {}\n"), name: "x" })).toThrow(
    /configs/,
  )
})

test("encrypted secrets count as present", () => {
  const lines = Object.entries(staging).filter(([key]) => key !== "accounts:secrets")
  const config = lines.map(([key, value]) => `  ${key}: ${JSON.stringify(value)}`).join("\n")
  const path = write(
    `config:\n${config}\n  accounts:secrets:\n    AUTH_SECRET:\n      secure: v1:abc\n`,
  )
  expect(readStackFile({ path, name: "staging" }).environment.secrets).toHaveProperty("AUTH_SECRET")
})

test("the committed local stack file is valid, and no committed one is a fixture", () => {
  const directory = join(root, "environments")
  readStackFile({ path: join(directory, "Pulumi.local.yaml"), name: "local" })
  for (const file of readdirSync(directory).filter((name) => name.endsWith(".yaml"))) {
    expect(readFileSync(join(directory, file), "utf8")).not.toMatch(/accounts:fixture/)
  }
})

/** As the owner does it: account, hosts and mail service. */
function fillIn(text: string) {
  return text
    .replace(/0{32}/, "0123456789abcdef0123456789abcdef")
    .replaceAll(/example\.(?:com|net|dev)/g, "acme.io")
    .replaceAll("{branch}", "login")
}

test.each([
  ["staging", "as it is", (text: string) => text],
  ["staging", "filled in", fillIn],
  ["production", "as it is", (text: string) => text],
  ["production", "filled in", fillIn],
  ["preview", "filled in", fillIn],
])("the committed file of %s, %s, lacks only the account and secrets of its owner", (...file) => {
  const [environment, _how, change] = file
  const name = environment === "preview" ? "preview.yaml" : `Pulumi.${environment}.yaml`
  const path = write(change(readFileSync(join(root, "environments", name), "utf8")))
  const configuration = readConfiguration(path, name)
  // Its owner's account takes the placeholder's place, so that the other rules are tried.
  if (/^0+$/.test(configuration["accounts:accountId"] ?? "")) {
    configuration["accounts:accountId"] = "0123456789abcdef0123456789abcdef"
  }
  configuration["accounts:secrets"] ??= JSON.stringify(
    environment === "preview" ? {} : { AUTH_SECRET: "x".repeat(64) },
  )
  expect(readStack({ name: environment, file: name, configuration }).environment).toMatchObject({
    environment,
  })
})

test("the committed JSON Schema matches the code (npm run fix writes it)", () => {
  const committed = readFileSync(join(root, "environments", "stack.schema.json"), "utf8")
  expect(JSON.parse(committed)).toEqual(JSON.parse(JSON.stringify(stackFileSchema())))
})
