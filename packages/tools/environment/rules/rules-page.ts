import { ownersRule } from "../check.ts"
import type { Rule } from "./rule.ts"
import { rules } from "./rules.ts"

const introduction = `# Rules of environments

What \`./accounts environment check\` and every deployment demand of a stack file. \`npm run fix\` writes this page from \`packages/tools/environment/rules/\` (R01 to R99) and your \`infra/project.ts\` (A01 to A99).

- All findings come at once, each with file, line, column, key, reason, fix and rule.
- Nothing may break a rule, unless it is marked. One marked _reason_ can be accepted in the file: \`accounts:accept: {R07: "the reason, for reviewers"}\`; it shows wherever the environment is shown. For one marked _by name_ the reason has to contain the value, so that the next value is found again.
- To accept a rule that nothing breaks is a finding itself.
- A file whose account and host are still the placeholders is a draft: \`environment check\` lists what its owner has to fill in, without a finding, and \`pulumi up\` refuses it.
- Of these checks only those of \`pulumi preview\` and \`pulumi up\` open secrets, so they alone check R40, and R41 within one environment. Between environments only a copied ciphertext is found; \`./accounts environment check --secrets\` compares the values.
- Keys of other providers, Pulumi's own and the \`environment\` of Pulumi ESC are let through.

## The rules
`

const marks = { "with a reason": " _reason_", "by name": " _by name_" }

/** `docs/environment-rules.md`. How to mend what is found, the finding says. */
export function rulesPage(): string {
  const all: Pick<Rule, "id" | "message" | "accept">[] = [...rules, ownersRule]
  const rows = all.map(
    ({ id, message, accept }) => `- **${id}** ${message}${accept ? marks[accept] : ""}`,
  )
  return `${introduction}\n${rows.join("\n")}\n`
}
