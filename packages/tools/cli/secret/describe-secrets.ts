import { paint } from "../output.ts"
import type { Examination } from "./examine-secrets.ts"

/** For people: each finding with what to do, then what is not known. */
export function describeExamination({ findings, unchecked, notices }: Examination): string {
  const lines = [
    ...findings.flatMap(({ stack, kind, key, reason, fix }) => [
      `${stack}: ${paint.red(kind)}: ${key} ${reason}`,
      `    ${fix}`,
    ]),
    ...unchecked.map(
      ({ stack, what, why }) => `${stack}: ${paint.yellow("not checked")}: ${what}: ${why}`,
    ),
    ...notices.map(({ stack, text }) => `${stack}: ${text}`),
  ]
  return lines.length === 0 ? "Every secret is in order." : lines.join("\n")
}
