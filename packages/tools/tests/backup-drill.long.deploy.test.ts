import { mkdirSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

import { generateIdentity, identityToRecipient } from "age-encryption"
import { afterEach, expect, test, vi } from "vitest"
import * as z from "zod"

import { uploadOf } from "../cli/database/backup/backup.ts"
import { fetchBackup } from "../cli/database/backup/stored-backup.ts"
import { importDump } from "../cli/database/d1-account.ts"
import { createApi } from "../deploy/api.ts"
import { startBucketProxy } from "./testing/bucket-proxy.ts"
import { s3Missing, startS3 } from "./testing/s3-server.ts"
import { sendRequest } from "./testing/send-request.ts"
import { openStagingSite, type StagingSite } from "./testing/stacks/staging-site.ts"

const missing = await s3Missing()
const note = missing ? ` skipped: ${missing}` : ""

afterEach(() => void vi.unstubAllEnvs())

const ada = { name: "Ada", email: "ada@example.com", password: "correct horse battery" }
const host = "https://api.staging.accounts.test"
const headers = { origin: "https://app.staging.accounts.test" }

async function post(site: StagingSite, step: string) {
  const { edge: connectTo } = site.cloudflare
  return (await sendRequest(`${host}/api/auth/${step}/email`, { body: ada, headers, connectTo }))
    .status
}

const Stored = z.object({ file: z.string() })
const Listed = z.array(z.object({ url: z.string(), age: z.number() }))

test.skipIf(missing !== undefined)(
  `a drill: of an account that is gone, members sign in with their old passwords in another one [bucket]${note}`,
  async () => {
    await using bucket = await startS3("backups")
    await using proxy = await startBucketProxy(bucket.url)
    const identity = await generateIdentity()
    const keys = {
      ACCOUNTS_BACKUPS: `s3://backups?endpoint=${proxy.url}`,
      ACCOUNTS_BACKUPS_ACCESS_KEY_ID: "a-key",
      ACCOUNTS_BACKUPS_SECRET_ACCESS_KEY: "its-secret",
      ACCOUNTS_BACKUPS_IDENTITY: identity,
    }
    let file = ""
    {
      await using site = await openStagingSite()
      const recipient = { ACCOUNTS_BACKUPS_RECIPIENTS: await identityToRecipient(identity) }
      Object.assign(site.environment, keys, recipient)
      await site.checkout.succeed("up", "-s", "staging", "--yes")
      expect(await post(site, "sign-up")).toBe(200)
      const backup = ["database", "backup", "-s", "staging", "--to", keys.ACCOUNTS_BACKUPS]
      const rows = () => readdirSync(site.temporary).filter((name) => name.includes("-rows-"))

      // Killed in the middle of the upload.
      proxy.inject("PUT", "hang")
      const killed = site.checkout.run(...backup)
      while (!proxy.seen.some((request) => request.startsWith("PUT"))) await sleep(50)
      const [, pid = ""] = /-rows-(\d+)-/.exec(rows()[0] ?? "") ?? []
      process.kill(Number(pid), "SIGKILL")
      await killed
      expect(rows()).toHaveLength(1)
      expect(await bucket.keys("")).toEqual([])

      const { stdout } = await site.checkout.succeed(...backup, "--json")
      ;({ file } = Stored.parse(JSON.parse(stdout)))
      expect(rows()).toEqual([])
      const listed = await site.checkout.succeed("database", "backups", "-s", "staging", "--json")
      expect(Listed.parse(JSON.parse(listed.stdout)).map(({ url }) => url)).toEqual([file])
      const verified = await site.checkout.succeed(
        "database",
        "backups",
        "-s",
        "staging",
        "--verify",
      )
      expect(verified.stdout).toMatch(/^ *user +1 restored, 1 now$/m)

      // Refused before anything stops.
      const restore = ["database", "restore", "-s", "staging", "--confirm", "staging"]
      proxy.inject("GET", "cut")
      const refused = await site.checkout.run(...restore, "--file", file)
      expect(refused.code).toBe(1)
      expect(refused.stderr).toMatch(/cannot be opened: .*\. Nothing was changed\./)
      expect(refused.stderr).not.toContain("stopping the traffic")
      expect(await post(site, "sign-in")).toBe(200)
      const [database] = await site.idsOf("d1/database")
      await site.account.query(database ?? "", "DELETE FROM account")
      expect(await post(site, "sign-in")).toBe(401)
      await site.checkout.succeed(...restore, "--file", file)
      expect(await post(site, "sign-in")).toBe(200)
    }

    // Another account, and a stack without a state.
    await using site = await openStagingSite()
    for (const [name, value] of Object.entries(keys)) vi.stubEnv(name, value)
    const databaseId = await site.account.createDatabase("accounts-staging")
    const folder = join(site.temporary, "fetched")
    mkdirSync(folder)
    const { signal } = new AbortController()
    const script = await fetchBackup(file, { folder, signal })
    expect(readFileSync(script, "utf8")).toContain(ada.email)
    const { api: baseUrl, token, accountId } = site.cloudflare
    const place = { api: createApi({ baseUrl, token }), accountId, databaseId }
    await importDump(place, await uploadOf(script), { signal })
    const adopted = await site.adopt("--yes")
    expect(adopted.code, adopted.stderr).toBe(0)
    await site.checkout.succeed("up", "-s", "staging", "--yes")
    expect(await site.idsOf("d1/database")).toEqual([databaseId])
    expect(await post(site, "sign-in")).toBe(200)
    expect(await post(site, "sign-up")).toBe(422)
  },
)
