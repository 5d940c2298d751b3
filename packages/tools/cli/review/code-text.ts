import { markdownTable } from "../../documents/markdown-table.ts"
import { code, list } from "../../documents/markdown-text.ts"
import type { Review } from "./review.ts"

/** What has to be looked at first comes first. */
const order = ["judges", "is installed", "plans or deploys", "answers requests", "tests"] as const

/** Files, or packages, that are named one by one, how much of each, and bytes: more would hide what follows. */
const [most, longest, room] = [40, 200, 6000]

/** Says first what the code that judges cannot know: what other code will do. */
export function codeText({ judge, code: files, packages }: Review): string[] {
  if (files.length === 0) return []
  const first = files.some(({ part }) => part !== "tests" && part !== "answers requests")
  const title = first ? "Read first: this changes what judges, plans or deploys" : "Changed code"
  const by =
    judge === undefined
      ? "**This text is written by the code of the branch itself.**"
      : `This text is written by the code of ${code(judge.slice(0, 12))}, which ran none of the branch's.`
  const rows = order.flatMap((part) => {
    const lines = files
      .filter((file) => file.part === part)
      .map(({ path, lines: count }) => `${code(path.slice(0, longest))} ${count}`)
    return lines.length === 0 ? [] : [[`what ${part}`, shorten(lines).join("<br>")]]
  })
  return [
    `## ${title}`,
    `${by} What the files of this table do is not said below, and may undo what is said there: read them.`,
    markdownTable(["", "files"], rows),
    ...packagesText(packages),
  ]
}

function packagesText({ changed, doubts, scripts }: Review["packages"]): string[] {
  const refused = doubts.map((doubt) => `**refused** ${code(doubt)}`)
  const running = scripts.map((path) => `${code(path)} runs a script when it is installed`)
  const lines = [refused, running, changed.map(code)].flatMap(shorten)
  return lines.length === 0 ? [] : [`### Packages\n\n${list(lines)}`]
}

function shorten(lines: string[]): string[] {
  const isWithin = (_: string, at: number) =>
    at < most && Buffer.byteLength(lines.slice(0, at + 1).join()) < room
  const shown = lines.filter(isWithin)
  const more = lines.length - shown.length
  return more > 0 ? [...shown, `and ${more} more`] : lines
}
