import { mkdtempDisposableSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { root as checkout } from "../../base/root.ts"
import { tablesInUse } from "../../deploy/build/tables-in-use.ts"
import type { SchemaUse } from "../../deploy/version/schema-use.ts"
import { type BaseCommit, checkOutInto } from "./base-commit.ts"

/**
 * What the version of the base commit uses of the schema: read from its own tables, with the packages that
 * this checkout has installed.
 * @throws Error with what the build says, as where the commit has no such tables
 */
export async function readBaseUse(root: string, base: BaseCommit): Promise<SchemaUse> {
  using parent = mkdtempDisposableSync(join(tmpdir(), "accounts-base-"))
  const directory = join(parent.path, "checkout")
  checkOutInto(root, base.sha, directory)
  symlinkSync(join(checkout, "node_modules"), join(directory, "node_modules"), "junction")
  return { head: base.migrations.at(-1)?.name ?? "", tables: await tablesInUse(directory) }
}
