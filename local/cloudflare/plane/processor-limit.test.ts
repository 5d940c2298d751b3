import { expect, test } from "vitest"

import { deploySite, startFaultServer } from "../faults/testing/fault-server.ts"
import { askEdge } from "../testing/ask-edge.ts"

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

    await cloudflare.callLocal("PUT", "settings", { plan: "free" })
    expect(await ask("/wait")).toMatchObject({ status: 200, text: "/wait" })
    const failure = { status: 503, text: "error code: 1102" }
    expect(await ask("/work")).toMatchObject(failure)
    expect(await ask("/wait")).toMatchObject({ status: 200, text: "/wait" })
    // A request that never ends costs its version the process; the next one gets another.
    expect(await ask("/loop")).toMatchObject(failure)
    expect(await ask("/wait")).toMatchObject({ status: 200, text: "/wait" })
    const printed = await cloudflare.request("/../../local/log?kind=worker")
    expect((await printed.text()).match(/Worker exceeded CPU time limit/g)).toHaveLength(2)

    await cloudflare.callLocal("PUT", "settings", { plan: "paid" })
    expect(await ask("/work")).toMatchObject({ status: 200, text: "/work" })
  },
)
