import type { SchemaUse } from "../version/schema-use.ts"
import { bundle } from "./bundle.ts"
import { tablesInUse } from "./tables-in-use.ts"

/** The parts of a deployment that come from `app/`. */
export type Build = {
  /** The SHA-256 of the bundle, by which the provider finds its modules. */
  bundle: string
  /** The hash that includes the second module. */
  whole: string
  tables: SchemaUse["tables"]
}

/**
 * Builds `app/`.
 * @throws esbuild's BuildFailure, whose `errors` name file, line and column
 */
export async function build(options: { migrationsHead: string }): Promise<Build> {
  const [{ sha256, whole }, tables] = await Promise.all([bundle(options), tablesInUse()])
  return { bundle: sha256, whole, tables }
}
