import type { Step } from "../../reading/reading.ts"
import { tableIn } from "../../reading/syntax.ts"
import type { Loss } from "../loss.ts"
import type { Found, Judged, Rule } from "../rule.ts"

export const cascadeParent: Rule = {
  name: "cascade-parent",
  find: (judged) => found(judged, (loss) => loss.byReference === true),
}

export const lostRows = ofKinds("lost-rows", ["row", "repeat"])
export const lostValues = ofKinds("lost-values", ["value", "link"])
export const changedValues = ofKinds("changed-values", ["change"])
export const lostParts = ofKinds("lost-parts", ["part"])

function ofKinds(name: string, kinds: Loss["kind"][]): Rule {
  const is = (loss: Loss) => loss.byReference !== true && kinds.includes(loss.kind)
  return { name, find: (judged) => found(judged, is) }
}

function found({ reading, losses }: Judged, is: (loss: Loss) => boolean): Found[] {
  return losses.filter(is).flatMap((loss): Found[] => {
    const step = reading.steps.find(({ number }) => number === loss.statement)
    if (step === undefined) return []
    const level = loss.isSeeded === true ? "warning" : "error"
    const rewrite = rewriteOf(loss, reading.own.declarations)
    return [{ step, at: placeIn(step), level, message: loss.message, rewrite, loss }]
  })
}

/** What to do instead, and the line to write if it is meant. */
export function rewriteOf(
  { instead, lines, isSeeded, kind, isCertain }: Loss,
  begin: string,
): string {
  const [line] = lines
  if (line === undefined) return instead
  const said = lines.map((one) => `-- ${begin}:${one}: REASON`).join(" and ")
  if (isSeeded === true && kind !== "part") {
    return `Nothing has to be done where the rows are still as an earlier file wrote them. Else: ${said}`
  }
  const zero = line.endsWith("at most N rows") ? " (0 where no database has such rows)" : ""
  const look =
    isCertain || kind === "part"
      ? ""
      : " `apply` compares every row, and needs the line only if one is touched."
  return `${instead} If it is meant, say so: ${said}${zero}.${look}`
}

function placeIn({ node }: Step): number {
  return (node === undefined ? undefined : tableIn(node))?.span.offset ?? 0
}
