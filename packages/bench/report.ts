import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { cpus, loadavg, totalmem } from "node:os"
import { join } from "node:path"

import { root } from "../tools/base/root.ts"

export function say(line: string) {
  void process.stderr.write(`${line}\n`)
}

/** Date, machine (without any name of it) and load of a run; the load is asked before and after it. */
export function startFacts() {
  const [before = 0] = loadavg()
  return () => {
    const [after = 0] = loadavg()
    const date = new Date().toISOString().slice(0, 10)
    const gib = (totalmem() / 2 ** 30).toFixed(0)
    const machine = `${cpus().length} cores of ${cpus()[0]?.model.trim()}, ${gib} GiB`
    const versions = ["workerd", "miniflare"].map((name) => versionOf(name)).join(", ")
    const load = `load ${before.toFixed(1)} before and ${after.toFixed(1)} after`
    return `${date}, ${machine}, Node ${process.versions.node}, ${versions}; ${load}`
  }
}

/** An installed package, as `name version`. */
export function versionOf(name: string): string {
  const manifest = readFileSync(join(root, "node_modules", name, "package.json"), "utf8")
  return `${name} ${JSON.parse(manifest).version}`
}

type Publication = {
  /** File name in `docs/`; benchmarks.md by default. */
  page?: string
  /** Which one, on a page with several. */
  part?: string
  measured: string
  /** Whether it replaces the text between the page's `measured` marks; people write the rest. */
  write: boolean | undefined
}

export function publish({ page = "benchmarks.md", part, measured, write }: Publication): void {
  process.stdout.write(`${measured}\n`)
  if (!write) return
  const name = part === undefined ? "measured" : `measured: ${part}`
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const path = join(root, "docs", page)
  const [head, rest] = readFileSync(path, "utf8").split(begin)
  const [, tail] = rest?.split(end) ?? []
  if (tail === undefined) throw new Error(`docs/${page}: add ${begin} and ${end} for the table`)
  writeFileSync(path, `${head}${begin}\n\n${measured}\n\n${end}${tail}`)
  execFileSync(join(root, "node_modules/.bin/oxfmt"), [path], { stdio: "ignore" })
}
