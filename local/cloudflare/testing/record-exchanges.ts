import { readFile, readdir } from "node:fs/promises"
import { join } from "node:path"

import { Exchange } from "../contract/exchange.ts"
import type { localCloudflare } from "./process.ts"
import { temporaryDirectory } from "./process.ts"

const variable = "LOCAL_CLOUDFLARE_EXCHANGES"

/** Starts a process that records its exchanges, where all tests record when they are asked to. */
export async function recordExchanges<Started extends Awaited<ReturnType<typeof localCloudflare>>>(
  start: () => Promise<Started>,
) {
  const directory = await temporaryDirectory()
  const { [variable]: whole } = process.env
  process.env[variable] = whole ?? directory.path
  const cloudflare = await start().finally(() => {
    if (whole === undefined) delete process.env[variable]
  })
  let taken = 0

  return {
    cloudflare,
    /** What came since the last time; each is written down before it is answered. */
    async take(): Promise<Exchange[]> {
      const files = await readdir(whole ?? directory.path)
      const file = files.find((name) => name.startsWith(`${cloudflare.pid}-`)) ?? ""
      const text = await readFile(join(whole ?? directory.path, file), "utf8")
      const lines = text.split("\n").filter((line) => line !== "")
      const fresh = lines.slice(taken)
      taken = lines.length
      return fresh.map((line) => Exchange.parse(JSON.parse(line)))
    },
    async [Symbol.asyncDispose]() {
      await cloudflare[Symbol.asyncDispose]()
      await directory[Symbol.asyncDispose]()
    },
  }
}
