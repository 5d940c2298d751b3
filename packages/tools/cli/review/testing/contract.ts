import { readFileSync } from "node:fs"
import { join } from "node:path"

import { root } from "../../../base/root.ts"

/** Generated pages of the test repositories, in the format of the real ones. */

const committedPage = readFileSync(join(root, "docs/bundle.md"), "utf8")

/** Returns the committed page with another size of the bundle. */
export function bundlePage(kib: number): string {
  return committedPage.replace(/\*\*[\d.]+ KiB\*\* minified/, `**${kib.toFixed(1)} KiB** minified`)
}

const entry = {
  who: "member",
  limits: "LIMIT_MEMBER",
  plan: "free 60, premium 1000 entries a month",
}

export const routes = {
  "POST /api/v1/answerPrompt": entry,
  "POST /api/v1/archiveEntry": entry,
  "POST /api/v1/createEntry": entry,
  "GET /api/v1/settings": {
    who: "anybody",
    limits: "none",
    prices: "deepInsights 499 eur",
    "attempts of sign-in": "10 in 15 min",
  },
}

const text = { type: "string", maxLength: 1000 }

/** `createEntry`, whose body and answer a branch may change. */
export function description({
  sent = { text, mood: { type: "string" } },
  answered = ["id", "text"],
  paths = {},
}: {
  sent?: Record<string, object>
  answered?: string[]
  paths?: Record<string, object>
} = {}): object {
  const body = { type: "object", properties: sent, required: ["text"], additionalProperties: false }
  const answer = {
    type: "object",
    properties: Object.fromEntries(answered.map((name) => [name, text])),
    required: answered,
  }
  const createEntry = {
    operationId: "createEntry",
    requestBody: { required: true, content: { "application/json": { schema: body } } },
    responses: { "200": { content: { "application/json": { schema: answer } } } },
  }
  return { openapi: "3.1.1", paths: { "/api/v1/createEntry": { post: createEntry }, ...paths } }
}

export function lock(version: string, resolved = "https://registry.npmjs.org"): object {
  const archive = `${resolved}/hono/-/hono-${version}.tgz`
  const hono = { version, resolved: archive, integrity: `sha512-${version}` }
  return { packages: { "": { dependencies: { hono: "4.13.19" } }, "node_modules/hono": hono } }
}
