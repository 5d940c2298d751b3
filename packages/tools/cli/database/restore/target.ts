import { basename } from "node:path"

import * as z from "zod"

import { counted } from "../../../base/counted.ts"
import { Failure, messageOf } from "../../../base/failure.ts"
import { parseHeader, uploadOf } from "../backup/backup.ts"
import { readDump } from "../backup/dump.ts"
import { pathOf } from "../d1-account.ts"
import type { Site } from "./maintenance-worker.ts"
import type { Target } from "./restore.ts"

const Moment = z.object({ bookmark: z.string().min(1) })
const bookmarkPattern = /^[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}$/

/** @param to a bookmark, or a time in ISO 8601. @throws Failure USAGE */
export async function restorePointTarget(site: Site, to: string): Promise<Target> {
  if (bookmarkPattern.test(to)) return { source: { kind: "bookmark", bookmark: to } }
  const { data: timestamp } = z.iso.datetime({ offset: true }).safeParse(to)
  if (timestamp === undefined) {
    const message = `--to ${to} is neither a bookmark nor a time such as 2026-11-22T10:00:00Z.`
    throw new Failure("USAGE", message)
  }
  const time = Date.parse(timestamp)
  if (time > Date.now()) throw new Failure("USAGE", `--to ${to} is in the future.`)
  const query = new URLSearchParams({ timestamp: new Date(time).toISOString() })
  const path = `${pathOf(site)}/time_travel/bookmark?${query.toString()}`
  const { bookmark } = await site.api.get(path, Moment)
  return { source: { kind: "bookmark", bookmark }, time }
}

/** Reads the whole file, so that a truncated file is refused before the traffic stops. */
export async function targetOfFile(site: Site, file: string): Promise<Target> {
  try {
    const dump = await readDump(file)
    const header = parseHeader(dump.header)
    expectComplete({ dump, header })
    const { md5 } = await uploadOf(file)
    const time = header === undefined ? undefined : Date.parse(header.at)
    const foreign = header !== undefined && header.databaseId !== site.databaseId
    const from = foreign ? `, a backup of ${header.stack} (database ${header.databaseId})` : ""
    return { source: { kind: "file", name: basename(file) + from, md5 }, file, dump, time }
  } catch (error) {
    throw new Failure("USAGE", `${file} cannot be restored: ${messageOf(error)}`, { cause: error })
  }
}

type Read = {
  dump: Awaited<ReturnType<typeof readDump>>
  header: ReturnType<typeof parseHeader>
}

function expectComplete({ dump, header }: Read): void {
  const tables = dump.tables.filter(({ sql }) => sql !== undefined)
  if (tables.length === 0) throw new Error("it makes no table")
  for (const { name, rows } of header?.tables ?? []) {
    const rowCount = dump.tables.find((table) => table.name === name)?.count ?? 0
    if (rowCount !== rows) {
      throw new Error(`it says ${counted(rows, "row")} of ${name}, but has ${rowCount}`)
    }
  }
}
