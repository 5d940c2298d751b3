import { cloudflareD1, type Database, openDatabase as open } from "@accounts-stack/d1-migrations/d1"
import {
  type Migration,
  type Names,
  parseMigration as parse,
  readMigrations as read,
  usualNames,
} from "@accounts-stack/d1-migrations/files"

/** Names in deployed databases and in applied migrations: never change them. */
export const ownNames: Names = {
  ...usualNames,
  sidecar: "accounts_migrations",
  declarations: "accounts",
  command: "./accounts database",
}

export function openDatabase(place: Parameters<typeof cloudflareD1>[0]): Database {
  return open(cloudflareD1(place), ownNames)
}

export function readMigrations(directory: string): Promise<Migration[]> {
  return read(directory, { names: ownNames, consecutive: true })
}

export function parseMigration(name: string, bytes: Uint8Array, notes?: string): Migration {
  return parse(name, bytes, { notes, names: ownNames })
}
