import { expect, test } from "vitest"

import { deploySite, startFaultServer } from "../faults/testing/fault-server.ts"
import { askEdge } from "../testing/ask-edge.ts"
import { openTestPlane, serveVersion, versionSpec } from "./testing/test-plane.ts"

/** Far more than 10 ms on any machine, or a long wait without any work. */
const code = `export default {
  async fetch({ url }) {
    const { pathname } = new URL(url)
    let sum = 0
    if (pathname === "/work") for (let n = 0; n < 1e8; n += 1) sum = (sum + n * n) | 0
    if (pathname === "/loop") while (true) sum += 1
    if (pathname === "/wait") await scheduler.wait(500)
    return new Response(pathname)
  },
}`

test.skipIf(process.platform !== "linux")(
  "on the Free plan a request that computes too long fails (error 1102), one that waits does not",
  async () => {
    await using cloudflare = await startFaultServer()
    const { host } = await deploySite(cloudflare, "busy", code)
    const ask = (path: string) => askEdge(cloudflare.edge, host, path)
    expect(await ask("/work")).toMatchObject({ status: 200, text: "/work" })

    await cloudflare.local("/local/settings", { plan: "free" })
    expect(await ask("/wait")).toMatchObject({ status: 200, text: "/wait" })
    const failure = { status: 503, text: "error code: 1102" }
    expect(await ask("/work")).toMatchObject(failure)
    expect(await ask("/wait")).toMatchObject({ status: 200, text: "/wait" })
    // A request that never ends costs its version the process; the next one gets another.
    expect(await ask("/loop")).toMatchObject(failure)
    expect(await ask("/wait")).toMatchObject({ status: 200, text: "/wait" })
    const printed = JSON.stringify(await cloudflare.local("/local/log?kind=worker"))
    expect(printed.match(/Worker exceeded CPU time limit/g)).toHaveLength(2)

    await cloudflare.local("/local/settings", { plan: "paid" })
    expect(await ask("/work")).toMatchObject({ status: 200, text: "/work" })
  },
)

/** A password as this service hashes it, which helper threads of a runtime might do. */
const hashes = `import { scrypt } from "node:crypto"
export default {
  async fetch({ url }) {
    if (new URL(url).pathname !== "/sign-in") return new Response("no hash")
    const hash = await new Promise((resolve, reject) => {
      const options = { N: 16384, r: 16, p: 1, maxmem: 64 * 1024 * 1024 }
      scrypt("password", "salt", 64, options, (error, key) => (error ? reject(error) : resolve(key)))
    })
    return new Response(String(hash.length))
  },
}`

test.skipIf(process.platform !== "linux")(
  "hashing a password with scrypt takes more than the Free plan's processor time",
  async () => {
    let limit: number | undefined
    await using plane = await openTestPlane({ processorLimit: () => limit })
    const version = versionSpec({ code: hashes, compatibilityFlags: ["nodejs_compat"] })
    await plane.start(version)
    await using site = await serveVersion(plane, version.id)
    const ask = async (path: string) => (await site.fetch(path)).text()
    expect(await ask("/sign-in")).toBe("64")
    limit = 10
    expect(await ask("/sign-in")).toBe("error code: 1102")
    expect(await ask("/")).toBe("no hash")
  },
)
