import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const begin = "<!-- measured -->"
const end = "<!-- /measured -->"

/** Puts what was measured between the marks of a page under `docs`; the rest is written by hand. */
export function rewrite(page: string, measured: string): void {
  const path = join(import.meta.dirname, "../docs", page)
  const content = readFileSync(path, "utf8")
  const [before, after] = [content.indexOf(begin), content.indexOf(end)]
  if (before < 0 || after < before) {
    throw new Error(`docs/${page}: has no ${begin} before ${end}; put both where the table belongs`)
  }
  const head = content.slice(0, before + begin.length)
  writeFileSync(path, `${head}\n\n${measured}\n\n${content.slice(after)}`)
}
