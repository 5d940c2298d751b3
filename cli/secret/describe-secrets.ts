import { type DeclaredSecret, declaredSecrets } from "../../infra/secret-manifest.ts"
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

const needed = {
  always: "every environment",
  permanent: "staging, production",
  never: "where it is used",
} satisfies Record<DeclaredSecret["required"], string>

/** Every secret of the manifest, as docs/bindings.md has it. */
export function describeManifest(): string {
  return declaredSecrets
    .map(({ name, required, made, least, summary }) =>
      [
        name,
        `    ${summary}`,
        `    needed: ${needed[required]}; made ${made}; ${least} characters or more`,
      ].join("\n"),
    )
    .join("\n")
}
