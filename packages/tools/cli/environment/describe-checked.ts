import type { CheckedEnvironment } from "../../environment/check.ts"
import { describeFinding, type Finding } from "../../environment/rules/judge.ts"

/** What was found, file by file, for people. */
export function describeChecked(
  checked: CheckedEnvironment[],
  {
    stale,
    owners,
  }: {
    stale: { path: string; diff: string }[]
    owners: { refused: Finding[]; open: Finding[] }
  },
): string {
  const findings = checked.flatMap(({ file, draft, refused, accepted, open }) => [
    `${file}: ${summary({ draft, refused: refused.length, accepted: accepted.length })}`,
    ...[...refused, ...accepted].map((finding) => `  ${describeFinding(finding)}`),
    ...open.map(({ line, key }) => `  ${file}:${line} ${key} is to be filled in`),
  ])
  const differences = stale.flatMap(({ path, diff }) => [`${path}: stale`, indent(diff)])
  const unowned = owners.refused.map((finding) => describeFinding(finding))
  const open = owners.open.map(({ file, line }) => `${file}:${line} is to be filled in`)
  return [...findings, ...unowned, ...open, ...differences].join("\n")
}

function summary(found: { draft: boolean; refused: number; accepted: number }): string {
  const { draft, refused, accepted } = found
  const state = refused > 0 ? `${refused} refused` : "in order"
  return [
    draft ? `a draft, which up refuses; otherwise ${state}` : state,
    ...(accepted > 0 ? [`${accepted} accepted`] : []),
  ].join(", ")
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, "  ")
}
