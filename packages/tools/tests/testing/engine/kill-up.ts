import { once } from "node:events"

import { expect } from "vitest"
import * as z from "zod"

import type { Checkout } from "../checkout.ts"
import { firedFaults, setFaults } from "../faults/fault-rules.ts"
import { killProcessTree } from "./interruption.ts"

type Api = { api: string; token: string }

/** Kills `up` once these creations have been applied and their answers are outstanding. */
export async function killUpAt(
  { checkout, cloudflare }: { checkout: Checkout; cloudflare: Api },
  { stack, paths }: { stack: string; paths: string[] },
): Promise<void> {
  await setFaults(
    cloudflare,
    paths.map((path) => ({
      name: path,
      match: { surface: "api", method: "POST", path: `*/${path}` },
      when: { nth: 1 },
      action: { type: "hang", applied: true },
    })),
  )
  const child = checkout.spawn("up", "-s", stack, "--yes")
  child.stdout?.resume()
  child.stderr?.resume()
  await expect
    .poll(async () => (await firedFaults(cloudflare)).length, { timeout: 120_000 })
    .toBe(paths.length)
  killProcessTree(z.number().parse(child.pid))
  await once(child, "close")
  await setFaults(cloudflare, [])
}
