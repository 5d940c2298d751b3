import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { parseDocument } from "yaml"

import type { Path } from "../rules/rule.ts"

const production = `encryptionsalt: v1:Zm9v:v1:cHJvZHVjdGlvbg==
config:
  accounts:environment: production
  accounts:name: accounts-production
  accounts:accountId: "0123456789abcdef0123456789abcdef"
  accounts:zone: acme.com
  accounts:apiOrigin: https://api.acme.com
  accounts:webOrigin: https://app.acme.com
  accounts:cookieDomain: acme.com
  accounts:trustedOrigins:
    - https://app.acme.com
    - https://api.acme.com
  accounts:mailUrl: https://mail.acme.com/send
  accounts:location: weur
  accounts:secrets:
    AUTH_SECRET:
      secure: v1:cHJvZHVjdGlvbg:AAAA
`

const staging = production
  .replaceAll("production", "staging")
  .replaceAll("acme.com", "acme-staging.net")
  .replace("cHJvZHVjdGlvbg:AAAA", "c3RhZ2luZw:BBBB")

const preview = `config:
  accounts:environment: preview
  accounts:accountId: "fedcba9876543210fedcba9876543210"
  accounts:zone: acme.dev
  accounts:apiOrigin: https://api-{branch}.preview.acme.dev
  accounts:webOrigin: https://web-{branch}.preview.acme.dev
`

export type Change = (text: string) => string

/** A folder of environments as their owner keeps them; all of its files are in order. */
export function createEnvironments() {
  const directory = mkdtempSync(join(tmpdir(), "accounts-environments-"))
  const files = {
    "Pulumi.production.yaml": production,
    "Pulumi.staging.yaml": staging,
    "preview.yaml": preview,
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text)
  return {
    directory,
    edit(change: Change, file = "Pulumi.production.yaml") {
      const path = join(directory, file)
      writeFileSync(path, change(readFileSync(path, "utf8")))
    },
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  }
}

/** The change of one value of `config`; undefined deletes it. */
export function set(path: Path | string, value: unknown): Change {
  return (text) => {
    const document = parseDocument(text)
    const [key = "", ...rest] = typeof path === "string" ? [path] : path
    const at = ["config", `accounts:${key}`, ...rest]
    if (value === undefined) document.deleteIn(at)
    else document.setIn(at, document.createNode(value))
    return document.toString({ lineWidth: 0 })
  }
}

/** Several changes, one after another. */
export function all(...changes: Change[]): Change {
  return (text) => changes.reduce((changed, change) => change(changed), text)
}

/** The change of several values. */
export function keys(values: Record<string, unknown>): Change {
  return all(...Object.entries(values).map(([key, value]) => set(key, value)))
}
