import type { CheckedEnvironment } from "../../infra/environment/check.ts"
import { describeFinding } from "../../infra/environment/rules/judge.ts"

/** What was found, file by file, for people. */
export function describeChecked(
  checked: CheckedEnvironment[],
  stale: { path: string; diff: string }[],
): string {
  const findings = checked.flatMap(({ file, draft, refused, accepted, open }) => [
    `${file}: ${summary({ draft, refused: refused.length, accepted: accepted.length })}`,
    ...[...refused, ...accepted].map((finding) => `  ${describeFinding(finding)}`),
    ...open.map(({ line, key }) => `  ${file}:${line} ${key} is to be filled in`),
  ])
  const differences = stale.flatMap(({ path, diff }) => [`${path}: stale`, indent(diff)])
  return [...findings, ...differences].join("\n")
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
