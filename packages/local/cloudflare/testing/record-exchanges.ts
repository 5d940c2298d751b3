import { readFile, readdir } from "node:fs/promises"
import { join } from "node:path"

import { temporaryDirectory } from "../../daemon/testing/temporary-directory.ts"
import { Exchange } from "../contract/testing/exchange.ts"

const variable = "LOCAL_CLOUDFLARE_EXCHANGES"

/** Starts a local Cloudflare that records its exchanges, in the directory of the whole run if there is one. */
export async function recordExchanges<Started extends AsyncDisposable & { pid: number }>(
  start: () => Promise<Started>,
) {
  const directory = await temporaryDirectory()
  const { [variable]: runDirectory } = process.env
  const path = runDirectory ?? directory.path
  const before = new Set(await readdir(path))
  process.env[variable] = path
  const cloudflare = await start().finally(() => {
    if (runDirectory === undefined) delete process.env[variable]
  })
  let recordedCount = 0

  return {
    cloudflare,
    /** The exchanges since the last call; each is recorded before its response is sent. */
    async take(): Promise<Exchange[]> {
      const files = (await readdir(path)).filter((name) => !before.has(name))
      const file = files.find((name) => name.startsWith(`${cloudflare.pid}-`)) ?? ""
      const text = await readFile(join(path, file), "utf8")
      const lines = text.split("\n").filter((line) => line !== "")
      const fresh = lines.slice(recordedCount)
      recordedCount = lines.length
      return fresh.map((line) => Exchange.parse(JSON.parse(line)))
    },
    async [Symbol.asyncDispose]() {
      await cloudflare[Symbol.asyncDispose]()
      await directory[Symbol.asyncDispose]()
    },
  }
}
