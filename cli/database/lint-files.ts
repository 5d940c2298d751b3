import { dirname, resolve } from "node:path"

import { Failure, messageOf } from "../../failure.ts"
import { earlierFiles, readScript } from "../../provider/migrations/lint/earlier-files.ts"
import { isRefused, lintScript, type Verdict } from "../../provider/migrations/lint/lint.ts"

export type FileReport = Verdict & { file: string; refused: boolean }

/** @throws USAGE naming a file that cannot be read */
export function lintFiles(files: string[], schema: string | undefined): FileReport[] {
  const base = schema === undefined ? undefined : read(schema)
  return files.map((file, index) => {
    const sql = read(file)
    const earlier = base === undefined ? history(file, files.slice(0, index)) : [base]
    try {
      const verdict = lintScript({ sql, earlier })
      return { file, refused: isRefused(verdict), ...verdict }
    } catch (error) {
      return { file, refused: true, unknown: [], findings: [unreadable(error)] }
    }
  })
}

/** Files without a number are taken in the order in which they are given. */
function history(file: string, given: string[]): string[] | undefined {
  const numbered = earlierFiles(resolve(file))
  if (numbered !== undefined) return numbered.map(read)
  const folder = dirname(resolve(file))
  const before = given.filter((one) => dirname(resolve(one)) === folder)
  return before.length === 0 ? undefined : before.map(read)
}

function read(file: string): string {
  try {
    return readScript(file)
  } catch (error) {
    throw new Failure("USAGE", `${file} cannot be read: ${messageOf(error)}`, { cause: error })
  }
}

/** A quote, comment or trigger that never ends, which swallows the rest of the file. */
function unreadable(error: unknown): Verdict["findings"][number] {
  const message = messageOf(error)
  const line = Number(/^line (\d+)/.exec(message)?.[1] ?? 1)
  const rewrite = "Close it."
  return { rule: "fails", level: "error", line, column: 1, message, rewrite }
}
