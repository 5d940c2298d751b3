import { writeFileSync } from "node:fs"
import { resolve } from "node:path"

import { Failure, messageOf } from "../failure.ts"
import { earlierFiles, readScript } from "../files/earlier-files.ts"
import { type ProjectContext, readNamed, readSchemaFile } from "../lint/lint-files.ts"
import { usualNames } from "../names.ts"
import { keepChildRows } from "./safe-rebuild.ts"

/** Writes a file in the form that keeps child rows; false when it keeps them already. */
export function fixFile(
  file: string,
  { schema, folder, names = usualNames }: ProjectContext = {},
): boolean {
  const numbered = earlierFiles(resolve(file), folder)?.map(readNamed)
  const earlier = schema === undefined ? numbered : [readSchemaFile(schema)]
  if (earlier === undefined) {
    const message = `${file} has no number, or the files before it are missing: give the schema with --schema.`
    throw new Failure("USAGE", message)
  }
  const sql = readScript(file)
  try {
    const fixed = keepChildRows(sql, earlier, names)
    if (fixed !== sql) writeFileSync(file, fixed)
    return fixed !== sql
  } catch (error) {
    const message = `${file} cannot be written safely: ${messageOf(error)}`
    throw new Failure("COMMAND_FAILED", message, { cause: error })
  }
}
