import { existsSync } from "node:fs"
import { join } from "node:path"

import { build } from "esbuild"

import { root } from "../../base/root.ts"
import { project } from "../../environment/project/own-project.ts"
import { SchemaUse } from "../version/schema-use.ts"

/** Modules that may list the tables: a base commit may still have the old path. */
const entries = [project.tables, "app/schema-use.ts"]

/**
 * Returns the columns that the build of a checkout uses, by table. Bundles the tables first: Node would read the
 * 180 KB of drizzle-orm's package.json with each module, and would read changed tables only once during `start`.
 * @throws esbuild's BuildFailure, whose `errors` name file, line and column
 */
export async function tablesInUse(directory = root): Promise<SchemaUse["tables"]> {
  const entry = entries.find((path) => existsSync(join(directory, path)))
  if (entry === undefined) throw new Error(`${entries.join(" and ")} are not there`)
  const { outputFiles } = await build({
    absWorkingDir: directory,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    format: "esm",
    platform: "node",
    write: false,
    logLevel: "silent",
  })
  const [code = ""] = outputFiles.map(({ text }) => Buffer.from(text).toString("base64"))
  const { schemaUse }: { schemaUse: () => unknown } = await import(
    `data:text/javascript;base64,${code}`
  )
  return SchemaUse.shape.tables.parse(schemaUse())
}
