import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { readMigrations } from "../../environment/own-names.ts"

/** A directory of migrations; `declared` returns what a program passes to the resource. */
export async function createMigrationFolder(files: Record<string, string>) {
  const directory = await mkdtemp(join(tmpdir(), "migrations-"))
  const write = async (name: string, sql: string) => writeFile(join(directory, name), sql)
  for (const [name, sql] of Object.entries(files)) await write(name, sql)
  return {
    directory,
    write,
    remove: (name: string) => rm(join(directory, name)),
    async declared() {
      const read = await readMigrations(directory)
      return { directory, files: read.map(({ name, sha256 }) => ({ name, sha256 })) }
    },
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  }
}
