import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

type Measured = {
  /** File name in `docs/`. */
  page: string
  /** Which one, on a page with several. */
  part?: string
  measured: string
}

const oxfmt = join(import.meta.dirname, "../node_modules/.bin/oxfmt")

/** Replaces the text between a page's `measured` marks; people write the rest of the page. */
export function writeMeasured({ page, part, measured }: Measured): void {
  const name = part === undefined ? "measured" : `measured: ${part}`
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const path = join(import.meta.dirname, "../docs", page)
  const content = readFileSync(path, "utf8")
  const [before, after] = [content.indexOf(begin), content.indexOf(end)]
  if (before < 0 || after < before) {
    throw new Error(
      `docs/${page}: ${begin} before ${end} is missing: add both where the table belongs`,
    )
  }
  const head = content.slice(0, before + begin.length)
  writeFileSync(path, `${head}\n\n${measured}\n\n${content.slice(after)}`)
  execFileSync(oxfmt, [path], { stdio: "ignore" })
}
