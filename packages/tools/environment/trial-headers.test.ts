import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { expect, test } from "vitest"

import { readStackFile } from "./read.ts"
import { TrialHeaders } from "./stack-keys.ts"

test.each([
  "cookie",
  "Host",
  "Origin",
  "Authorization",
  "CF-Connecting-IP",
  "Cloudflare-Workers-Version-Key",
  "accounts-smoke-code",
  "Sec-Fetch-Site",
  "Content-Length",
  // The answer would be compressed, cut, or empty.
  "Accept-Encoding",
  "Range",
  "If-None-Match",
])("%s cannot be a trial header", (name) => {
  expect(TrialHeaders.safeParse({ [name]: "value" }).success).toBe(false)
})

test.each(["CF-Access-Client-Id", "CF-Access-Client-Secret", "x-accounts-release"])(
  "%s can be a trial header",
  (name) => {
    expect(TrialHeaders.safeParse({ [name]: "value" }).success).toBe(true)
  },
)

test("the value of a trial header is one line", () => {
  expect(TrialHeaders.safeParse({ "x-release": "one\ntwo: three" }).success).toBe(false)
})

test("a trial header in clear is refused before any engine starts", async () => {
  const directory = await mkdtemp(join(tmpdir(), "stack-file-"))
  const path = join(directory, "Pulumi.staging.yaml")
  const file = (value: string) => `config:\n  accounts:trialHeaders:\n    x-release: ${value}\n`
  try {
    await writeFile(path, file("in-clear"))
    const read = () => readStackFile({ path, name: "staging", label: "the file" })
    expect(read).toThrow(
      /the file:3:5 accounts:trialHeaders.x-release is not encrypted.*\n.*Fix: pulumi config set -s \S+ --secret --path 'accounts:trialHeaders.x-release'/,
    )
    await writeFile(path, file("{ secure: v1:abc }"))
    expect(read).not.toThrow(/trialHeaders/)
  } finally {
    await rm(directory, { recursive: true })
  }
})
