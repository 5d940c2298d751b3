import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

type Measured = {
  /** Under `docs`. */
  page: string
  /** Of a page with several. */
  part?: string
  measured: string
}

const oxfmt = join(import.meta.dirname, "../node_modules/.bin/oxfmt")

/** Puts what was measured between its marks on a page; the rest is written by hand. */
export function rewrite({ page, part, measured }: Measured): void {
  const name = part === undefined ? "measured" : `measured: ${part}`
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const path = join(import.meta.dirname, "../docs", page)
  const content = readFileSync(path, "utf8")
  const [before, after] = [content.indexOf(begin), content.indexOf(end)]
  if (before < 0 || after < before) {
    throw new Error(`docs/${page}: has no ${begin} before ${end}; put both where the table belongs`)
  }
  const head = content.slice(0, before + begin.length)
  writeFileSync(path, `${head}\n\n${measured}\n\n${content.slice(after)}`)
  execFileSync(oxfmt, [path], { stdio: "ignore" })
}
