import { request } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"

import { expect, test } from "vitest"

import { deploySite, startFaultServer } from "../faults/testing/fault-server.ts"
import { createPropagation } from "./propagation.ts"

test("changes take effect after the delay, in order, and never go back", async () => {
  const seen: string[] = []
  let wait = 80
  const table = createPropagation({
    first: "a",
    delay: () => wait,
    onChange: () => seen.push(table.pending().join("")),
  })
  table.publish("b")
  wait = 0
  table.publish("c")
  expect(table.current()).toBe("c")
  await sleep(150)
  expect(table.current()).toBe("c")
  expect(seen).toEqual(["ab", "c"])

  wait = 30
  table.publish("d")
  table.publish("e")
  expect(table.current()).toBe("c")
  expect(table.pending().join("")).toBe("cde")
  await sleep(100)
  expect(table.pending()).toEqual(["e"])
  table.publish("f")
  table.stop()
  await sleep(60)
  expect(table.current()).toBe("e")
})

test("until a deployment propagates the edge serves the old version, despite override headers", async () => {
  await using cloudflare = await startFaultServer("--propagation-ms", "600000")
  expect(await cloudflare.callLocal("GET", "settings")).toMatchObject({ propagationMs: 600_000 })
  await cloudflare.callLocal("PUT", "settings", { propagationMs: 0 })
  const site = await deploySite(cloudflare, "spreading")
  const second = await site.upload()

  const ask = (versionId: string) =>
    new Promise<string>((resolve, reject) => {
      const headers = {
        host: site.host,
        "cloudflare-workers-version-overrides": `spreading="${versionId}"`,
      }
      const sent = request(cloudflare.edge, { headers }, (answer) => {
        let text = ""
        answer.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
        answer.on("end", () => resolve(text))
      })
      sent.on("error", reject).end()
    })
  expect(await ask(second)).toBe(site.versionId)

  await cloudflare.callLocal("PUT", "settings", { propagationMs: 600_000 })
  await site.client.workers.scripts.deployments.create("spreading", {
    account_id: cloudflare.accountId,
    strategy: "percentage",
    versions: [
      { version_id: site.versionId, percentage: 100 },
      { version_id: second, percentage: 0 },
    ],
  })
  expect(await ask(second)).toBe(site.versionId)
  await site.deploy(second)
  expect(await ask(second)).toBe(site.versionId)

  await cloudflare.callLocal("PUT", "settings", { propagationMs: 300 })
  await site.deploy(second)
  await expect.poll(() => ask("")).toBe(second)
  expect(await ask(site.versionId)).toBe(second)
})
