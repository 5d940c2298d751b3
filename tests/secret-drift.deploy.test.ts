import { randomUUID } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"

import { callLocal } from "@accounts/local/cloudflare/testing/call-local"
import { expect, test } from "vitest"
import * as z from "zod"

import { doubts } from "../provider/testing/local-cloudflare.ts"
import { copyCheckout } from "./testing/checkout.ts"
import { sendRequest } from "./testing/send-request.ts"
import { openWrangler } from "./testing/wrangler.ts"

const Versions = z.array(z.object({ id: z.string(), number: z.number() }))

test("a value that wrangler gave a secret is drift, and the next up puts the stack's back", async () => {
  await using checkout = copyCheckout()
  const stacks = join(checkout.directory, "cli/stack")
  const { openLocalStack } = await import(join(stacks, "local-stack.ts"))
  const stack: typeof import("../cli/stack/stack.ts") = await import(join(stacks, "stack.ts"))
  await using local = await openLocalStack({
    state: checkout.state,
    apiPort: 0,
    port: 0,
    engine: undefined,
  })
  const up = async () => (await stack.up(local.stack)).changes
  const doubt = (these: typeof doubts) =>
    callLocal(local.cloudflare, "/local/settings", { doubts: these })
  await doubt(doubts)
  const { outputs } = await stack.up(local.stack)
  // Wrangler does not wait for a version that it reads.
  await doubt({ ...doubts, lateReads: 0 })
  const [url, worker] = [String(outputs["url"]), String(outputs["worker"])]
  await using wrangler = openWrangler(local.cloudflare, { name: worker })
  const file = join(wrangler.directory, "secrets.json")
  writeFileSync(file, JSON.stringify({ AUTH_SECRET: "by hand, thirty-two characters or more" }))
  const newest = async () => {
    const list = Versions.parse(JSON.parse(await wrangler.run("versions", "list", "--json")))
    return list.toSorted((one, other) => other.number - one.number)[0]?.id
  }
  const email = `${randomUUID()}@example.com`
  const { headers } = await sendRequest(`${url}/api/auth/sign-up/email`, {
    headers: { origin: url },
    body: { name: "Ada", email, password: "correct horse battery" },
  })
  const cookie = (headers["set-cookie"] ?? []).map((one) => one.split(";")[0]).join("; ")
  const isSignedIn = async () => {
    const { json } = await sendRequest(`${url}/api/auth/get-session`, { headers: { cookie } })
    return json !== null
  }

  for (const deployed of ["by itself", "by hand"]) {
    expect(await isSignedIn()).toBe(true)
    const command = deployed === "by itself" ? ["secret", "bulk"] : ["versions", "secret", "bulk"]
    await wrangler.run(...command, file)
    const foreign = await newest()
    if (deployed === "by hand") {
      await wrangler.run("versions", "deploy", `${foreign}@100%`, "--yes")
    }
    expect(await isSignedIn()).toBe(false)
    const { changeSummary, stdout } = await local.stack.preview({ diff: true })
    expect(changeSummary).toMatchObject({ update: 2 })
    expect(stdout).toContain("AUTH_SECRET")
    expect(stdout).not.toContain("by hand")
    expect(await up()).toMatchObject({ update: 2 })
    expect(await isSignedIn()).toBe(true)
    expect(await up()).not.toHaveProperty("update")
    expect(await newest()).not.toBe(foreign)
  }
})
