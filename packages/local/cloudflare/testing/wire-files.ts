import { mkdir, readdir } from "node:fs/promises"
import { join } from "node:path"

import { expect } from "vitest"

import type { Exchange } from "../contract/testing/exchange.ts"
import { wireLog } from "./wire-log.ts"

type Recording = { take: (this: void) => Promise<Exchange[]> }

/**
 * The committed wire logs of one client, `wire/<client>/<command>.txt`. When calls change, for example
 * with a new version of the client, `npx vitest run -u <test>` rewrites them for review.
 */
export function wireFiles({ take }: Recording, client: string) {
  const directory = join(import.meta.dirname, "../../tests/wire", client)
  const compared = new Set<string>()
  return {
    /** Runs a client's command alone, and compares its calls with the committed log. */
    async of<Result>(command: string, act: () => Promise<Result>): Promise<Result> {
      await take()
      const result = await act()
      const file = `${command}.txt`
      compared.add(file)
      await expect(wireLog(await take())).toMatchFileSnapshot(join(directory, file))
      return result
    },
    /** Fails for a committed log that no command has compared. */
    async areAll() {
      await mkdir(directory, { recursive: true })
      expect((await readdir(directory)).filter((file) => !compared.has(file))).toEqual([])
    },
  }
}
