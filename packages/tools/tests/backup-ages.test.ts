import { mkdtempDisposable, truncate, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { afterEach, beforeEach, expect, test, vi } from "vitest"

import { uploadOf } from "../cli/database/backup/backup.ts"
import { openBucket } from "../cli/database/backup/stored-backup.ts"
import { listBackups } from "../cli/database/backup/stored-backup.ts"
import { lastBackup } from "../cli/status/examine-stack.ts"
import { s3Missing, startS3 } from "./testing/s3-server.ts"

const missing = await s3Missing()
const note = missing ? ` skipped: ${missing}` : ""

beforeEach(() => {
  vi.stubEnv("ACCOUNTS_BACKUPS_ACCESS_KEY_ID", "a-key")
  vi.stubEnv("ACCOUNTS_BACKUPS_SECRET_ACCESS_KEY", "its-secret")
})
afterEach(() => void vi.unstubAllEnvs())

function nameOf(at: string): string {
  return `${at.slice(0, 19).replaceAll(":", "-")}Z.sql.age`
}

test.skipIf(missing !== undefined)(
  `ages are by the bucket's clock, and the newest is first, of many pages [bucket]${note}`,
  async () => {
    await using bucket = await startS3("backups", { MOTO_S3_DEFAULT_MAX_KEYS: "2" })
    const location = `s3://backups/nightly?endpoint=${bucket.url}`
    const stack = "production.eu"
    expect((await listBackups(location, { stack }))[0]).toBeUndefined()
    expect(await lastBackup({ place: { stack, local: false } }, "")).toMatchObject({
      state: "skipped",
    })
    expect(await lastBackup({ place: { stack, local: false } }, location)).toMatchObject({
      state: "wrong",
    })
    const day = 86_400_000
    const now = Date.now()
    for (const days of [400, 3, 2.01]) {
      const name = nameOf(new Date(now - days * day).toISOString())
      expect(await bucket.object(`nightly/${stack}/${name}`, "x")).toBe(200)
    }
    // A machine's clock may be ahead: a backup is no younger than its upload.
    const ahead = nameOf(new Date(now + 300 * day).toISOString())
    await bucket.object(`nightly/${stack}/notes.txt`, "x")
    expect(await lastBackup({ place: { stack, local: false } }, location)).toEqual({
      state: "wrong",
      found: expect.stringMatching(/^the last is of \S+Z, 2\.0 days ago$/),
      next: `./accounts database backup -s ${stack} --to "$ACCOUNTS_BACKUPS"`,
    })
    const backups = await listBackups(location, { stack })
    expect(backups.map(({ age }) => Math.round(age / day))).toEqual([2, 3, 400])
    await bucket.object(`nightly/${stack}/${ahead}`, "x")
    const last = (await listBackups(location, { stack }))[0]
    expect(last?.url).toContain(ahead)
    expect(Math.abs(last?.age ?? day)).toBeLessThan(day / 24)
    expect(await lastBackup({ place: { stack, local: false } }, location)).toMatchObject({
      state: "ok",
    })
    vi.useFakeTimers({ toFake: ["Date"], now: now + 100 * day })
    const later = (await listBackups(location, { stack }))[0]
    vi.useRealTimers()
    expect(Math.abs(later?.age ?? day)).toBeLessThan(day / 24)
  },
)

test("what is too large for one upload is refused before a byte is sent", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "accounts-large-"))
  const file = join(folder.path, "large")
  await writeFile(file, "")
  await truncate(file, 5 * 2 ** 30)
  const bucket = openBucket("s3://backups?endpoint=http://127.0.0.1:9")
  const { signal } = new AbortController()
  const refusal = /^The file has 5368709120 bytes, .*wrangler d1 export/
  await expect(bucket.put("x.sql.age", file, signal)).rejects.toThrow(refusal)
  await expect(uploadOf(file)).rejects.toThrow(refusal)
})
