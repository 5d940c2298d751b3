import { mkdtemp, readdir, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"

import { generateIdentity, identityToRecipient } from "age-encryption"
import { afterAll, afterEach, beforeEach, expect, test, vi } from "vitest"

import {
  fetchBackup,
  listBackups,
  storeBackup,
  verifyBackup,
} from "../cli/database/backup/stored-backup.ts"
import { listDatabases } from "../cli/database/d1-account.ts"
import { readContents } from "../cli/database/table-contents.ts"
import { startAccount } from "../cli/database/testing/database-site.ts"
import { openRestoreSite } from "../cli/database/testing/restore-site.ts"
import { startBucketProxy } from "./testing/bucket-proxy.ts"
import { s3Missing, startS3 } from "./testing/s3-server.ts"

const missing = await s3Missing()
const note = missing ? ` skipped: ${missing}` : ""

const underTest = await startAccount()
const identity = await generateIdentity()
const recipient = await identityToRecipient(identity)
const { signal } = new AbortController()
const bucket = missing === undefined ? await startS3("backups") : undefined
afterAll(() => bucket?.[Symbol.asyncDispose]())

beforeEach(() => {
  vi.stubEnv("ACCOUNTS_BACKUPS_ACCESS_KEY_ID", "a-key")
  vi.stubEnv("ACCOUNTS_BACKUPS_SECRET_ACCESS_KEY", "its-secret")
  vi.stubEnv("ACCOUNTS_BACKUPS_RECIPIENTS", recipient)
  vi.stubEnv("ACCOUNTS_BACKUPS_IDENTITY", `# created: today\n${identity}\n`)
})
afterEach(() => void vi.unstubAllEnvs())

/** A site with a few rows, and a bucket behind a proxy that injects faults. */
async function setUp() {
  const site = await openRestoreSite(underTest, "well")
  const proxy = await startBucketProxy(bucket?.url ?? "")
  const location = `s3://backups/nightly?endpoint=${proxy.url}`
  const printed: string[] = []
  const say = (line: string) => void printed.push(line)
  return {
    ...site,
    location,
    said: printed,
    seen: proxy.seen,
    inject: (...fault: Parameters<typeof proxy.inject>) => proxy.inject(...fault),
    keys: async () => await bucket?.keys(`nightly/${site.stack}/`),
    store: () => storeBackup(site, { location, signal, say }),
    verify: () => verifyBackup(site, { location, signal, say }),
    last: async () => (await listBackups(location, site))[0],
    scratch: async () => (await listDatabases(site)).filter(({ name }) => name.includes("scratch")),
    async fetch(file: string) {
      const folder = await mkdtemp(join(tmpdir(), "accounts-fetched-"))
      try {
        return await readFile(await fetchBackup(file, { folder, signal }), "utf8")
      } finally {
        await rm(folder, { recursive: true })
      }
    },
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]()
      await site[Symbol.asyncDispose]()
    },
  }
}

async function plainFolders() {
  return (await readdir(tmpdir())).filter((name) => name.startsWith(`accounts-rows-${process.pid}`))
}

test.skipIf(missing !== undefined)(
  `what lies in the bucket is for its key alone, and brings every row back [bucket]${note}`,
  async () => {
    await using site = await setUp()
    const { file, at } = await site.store()
    expect(file).toBe(site.location.replace("?", `/${site.stack}/${nameOf(site, at)}?`))
    const [key = ""] = (await site.keys()) ?? []
    const stored = (await bucket?.read(key)) ?? ""
    expect(stored).toMatch(/^age-encryption\.org\/v1\n-> X25519 /)
    expect(stored).not.toContain("INSERT")
    expect(await site.fetch(file)).toMatch(/INSERT INTO "?user/)
    expect(await plainFolders()).toEqual([])
    const { tables, url } = await site.verify()
    expect(url).toBe(file)
    expect(tables).toContainEqual({ name: "user", rows: 2, now: 2 })
    expect(await site.scratch()).toEqual([])
  },
)

test.skipIf(missing !== undefined)(
  `a newer backup of another project, of one stack name in one place, is not taken for one's own [bucket]${note}`,
  async () => {
    await using site = await setUp()
    await using otherSite = await setUp()
    const { stack, location } = site
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 60_000 })
    using _ = { [Symbol.dispose]: () => void vi.useRealTimers() }
    const { file } = await site.store()
    vi.useRealTimers()
    await storeBackup({ ...otherSite, stack }, { location, signal, say: () => {} })
    expect([(await site.last())?.url, (await site.verify()).url]).toEqual([file, file])
    // Names had no database once.
    const foreign = (await site.keys())?.find((key) => !file.includes(basename(key))) ?? ""
    await copyObject(foreign, foreign.replace(/Z\.\w+/, "Z"))
    await expect(site.verify()).rejects.toThrow(`no backup of the database of ${stack}`)
  },
)

function nameOf({ databaseId }: { databaseId: string }, at: string): string {
  return `${at.slice(0, 19).replaceAll(":", "-")}Z.${databaseId.slice(0, 8)}.sql.age`
}

test.skipIf(missing !== undefined)(
  `a backup is stored once, whole, and one of the same name stays [bucket]${note}`,
  async () => {
    await using site = await setUp()
    vi.useFakeTimers({ toFake: ["Date"] })
    using _ = { [Symbol.dispose]: () => void vi.useRealTimers() }
    const { file } = await site.store()
    const [key = ""] = (await site.keys()) ?? []
    const before = await bucket?.read(key)
    await expect(site.store()).rejects.toThrow(
      "was not stored: another file has this name, and is not overwritten",
    )
    expect(await bucket?.read(key)).toBe(before)
    expect(await site.fetch(file)).toContain("INSERT")
  },
)

test.skipIf(missing !== undefined)(
  `an answer that is lost after the upload is a backup, sent once [bucket]${note}`,
  async () => {
    await using site = await setUp()
    site.inject("PUT", "answer lost")
    const { file } = await site.store()
    expect(site.seen.filter((request) => request.startsWith("PUT"))).toHaveLength(1)
    expect((await site.last())?.url).toBe(file)
  },
)

test.skipIf(missing !== undefined)(
  `half an upload, or one that the bucket refuses, leaves nothing anywhere [bucket]${note}`,
  async () => {
    await using site = await setUp()
    for (const [fault, reason] of [
      ["half", /was not stored: fetch failed\. Run this again/],
      ["refused", /answers 403 \(RequestTimeTooSkewed\)/],
    ] as const) {
      site.inject("PUT", fault)
      await expect(site.store()).rejects.toThrow(reason)
      expect(await site.keys()).toEqual([])
      expect(await plainFolders()).toEqual([])
      expect(await site.scratch()).toEqual([])
    }
    await expect(site.verify()).rejects.toThrow(
      `There is no backup of the database of ${site.stack}`,
    )
  },
)

test.skipIf(missing !== undefined)(
  `what was stored is read back, and other bytes are an error [bucket]${note}`,
  async () => {
    await using site = await setUp()
    site.inject("GET", "altered")
    await expect(site.store()).rejects.toThrow("what was stored is not what was sent")
  },
)

test.skipIf(missing !== undefined)(
  `cut off, altered, renamed or for another key: refused with one error [bucket]${note}`,
  async () => {
    await using site = await setUp()
    const { file, at } = await site.store()
    const before = await readContents(site.database)
    const refused = async (of = file) => {
      const error = await site.fetch(of).then(
        () => "",
        (caught: unknown) => String(caught),
      )
      expect(error).toMatch(/^Failure: s3:\S+ cannot be opened: .+\. Nothing was changed\.$/)
      return error
    }
    site.inject("GET", "cut")
    await refused()
    site.inject("GET", "altered")
    await refused()
    // Yesterday's rows under today's name.
    const otherName = nameOf(site, new Date(Date.parse(at) + 86_400_000).toISOString())
    const [key = ""] = (await site.keys()) ?? []
    await copyObject(key, key.replace(basename(key), otherName))
    const renamed = file.replace(nameOf(site, at), otherName)
    expect(await refused(renamed)).toContain(
      `it is ${site.stack}/${nameOf(site, at)} under another name`,
    )
    vi.stubEnv("ACCOUNTS_BACKUPS_IDENTITY", await generateIdentity())
    expect(await refused()).toContain("no identity matched")
    expect(await readContents(site.database)).toEqual(before)
    expect([await plainFolders(), await site.scratch()]).toEqual([[], []])
  },
)

async function copyObject(from: string, to: string) {
  const authorization =
    "AWS4-HMAC-SHA256 Credential=a-key/20261122/auto/s3/aws4_request, SignedHeaders=host, Signature=none"
  const headers = { authorization, "x-amz-copy-source": `/backups/${from}` }
  const { status } = await fetch(`${bucket?.url}/backups/${to}`, { method: "PUT", headers })
  expect(status).toBe(200)
}

test.skipIf(missing !== undefined)(
  `nothing is exported before place, key and recipients are in order [bucket]${note}`,
  async () => {
    await using site = await setUp()
    const before = underTest.proxy.seen.length
    for (const location of ["backups", "s3://backups", "https://a.b", "s3://b?endpoint=x"]) {
      await expect(
        storeBackup(site, { location, signal, say: () => {} }).catch(String),
      ).resolves.toMatch(/^Failure: \S+ is no bucket: write s3:/)
    }
    for (const [name, value, reason] of [
      ["ACCOUNTS_BACKUPS_ACCESS_KEY_ID", "", "needs a key: set ACCOUNTS_BACKUPS_ACCESS_KEY_ID"],
      ["ACCOUNTS_BACKUPS_RECIPIENTS", "", "Set ACCOUNTS_BACKUPS_RECIPIENTS"],
      ["ACCOUNTS_BACKUPS_RECIPIENTS", "age1x", "ACCOUNTS_BACKUPS_RECIPIENTS cannot be used"],
      ["ACCOUNTS_BACKUPS_RECIPIENTS", identity, "ACCOUNTS_BACKUPS_RECIPIENTS cannot be used"],
    ] as const) {
      vi.stubEnv(name, value)
      const error = await site.store().catch(String)
      expect(error).toContain(reason)
      expect(error).not.toContain(identity)
      vi.unstubAllEnvs()
      vi.stubEnv("ACCOUNTS_BACKUPS_ACCESS_KEY_ID", "a-key")
      vi.stubEnv("ACCOUNTS_BACKUPS_SECRET_ACCESS_KEY", "its-secret")
    }
    expect(underTest.proxy.seen.length).toBe(before)
  },
)
