import { execFileSync } from "node:child_process"
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"

import type { GuardRow } from "./guard-table/guard-row.ts"

export const packageRoot = join(import.meta.dirname, "../..")

/** A copy of the package, without the code of one row at a time. */
export function copyOfPackage() {
  const folder = mkdtempSync(join(tmpdir(), "guard-"))
  const root = join(folder, "package")
  const isLeft = (path: string) => !/node_modules|\.test\.ts$/.test(relative(packageRoot, path))
  cpSync(packageRoot, root, { recursive: true, filter: isLeft })
  symlinkSync(join(packageRoot, "../../node_modules"), join(folder, "node_modules"))
  const outcome = (example: string): string =>
    execFileSync(process.execPath, [join(root, "guard/testing/outcome.ts"), example], {
      encoding: "utf8",
    })
  return {
    outcome,
    /** Runs the row's example without its code. */
    without({ file, code, without, example, sql }: GuardRow): string {
      const path = join(root, file)
      const whole = readFileSync(path, "utf8")
      writeFileSync(
        path,
        whole.replace(code, () => without),
      )
      try {
        return outcome(example ?? sql)
      } finally {
        writeFileSync(path, whole)
      }
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  }
}
