import { createHash } from "node:crypto"

import { restoreCommand } from "@accounts-stack/d1-migrations/d1"
import { quoteName, type SchemaObject } from "@accounts-stack/d1-migrations/schema"

import { Failure } from "../../base/failure.ts"
import type { Api } from "../../deploy/api.ts"
import { type Environment, physicalName } from "../../environment/environment.ts"
import { openDatabase } from "../../environment/own-names.ts"
import { permanent } from "../../environment/stack-keys.ts"
import { findDatabase, importDump } from "./d1-account.ts"

type Site = Pick<Environment, "environment" | "accountId" | "name"> & { stack: string; api: Api }

/** @throws Failure USAGE for a permanent environment, whose rows cannot be recreated */
export function refuseFresh({ stack, environment }: Pick<Site, "stack" | "environment">): void {
  if (!permanent({ environment })) return
  const message = `${stack} is a permanent environment: its database is never emptied. Leave out --fresh.`
  throw new Failure("USAGE", message)
}

/**
 * Drops everything in the database of a preview or of `local`, including the ledger, so that the next
 * deployment recreates it from the migrations. It is one request: all or nothing. Returns the command that
 * restores the rows; undefined if there was nothing to drop.
 */
export async function emptyDatabase(site: Site): Promise<string | undefined> {
  refuseFresh(site)
  const { api, accountId, stack } = site
  const name = physicalName(stack, site)
  const existing = await findDatabase({ api, accountId }, name)
  if (existing === undefined) return undefined
  const place = { api, accountId, databaseId: existing.uuid }
  const database = openDatabase(place)
  const drops = dropStatements(await database.allObjects())
  if (drops.length === 0) return undefined
  const bookmark = await database.bookmark()
  // The comment makes the file unique: D1 does not import the same file twice.
  const script = ["PRAGMA foreign_keys=OFF;", `-- emptied at ${bookmark}`, ...drops].join("\n")
  const md5 = createHash("md5").update(script).digest("hex")
  const { signal } = new AbortController()
  await importDump(place, { blob: new Blob([script]), md5 }, { signal })
  const remaining = dropStatements(await database.allObjects())
  if (remaining.length === 0) return restoreCommand(existing.uuid, bookmark)
  throw new Failure("COMMAND_FAILED", `${name} was not emptied: ${remaining.join(" ")}`)
}

/**
 * Requires foreign keys to be off. Dropping a table drops its indexes and shadow tables.
 */
export function dropStatements(objects: SchemaObject[]): string[] {
  const isVirtual = ({ sql }: SchemaObject) => /^CREATE\s+VIRTUAL/i.test(sql)
  const of = (type: string) => objects.filter((object) => object.type === type)
  const tables = of("table").toSorted((a, b) => Number(isVirtual(b)) - Number(isVirtual(a)))
  return [...of("trigger"), ...of("view"), ...tables].map(
    ({ type, name }) => `DROP ${type.toUpperCase()} IF EXISTS ${quoteName(name)};`,
  )
}
