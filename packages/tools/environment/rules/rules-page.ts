import { markdownTable } from "../../documents/markdown-table.ts"
import { ownersRule } from "../code-owners.ts"
import type { Rule } from "./rule.ts"
import { rules } from "./rules.ts"

const introduction = `# Rules of environments

What \`./accounts environment check\` and every deployment demand of a stack file. \`npm run fix\` writes this page from \`packages/tools/environment/rules/\`, and those of your own, A01 to A99, from \`infra/project.ts\`; change it there.

- All findings come at once, each with file, line, column, key, reason, fix and the id of its rule.
- A rule that may be accepted is accepted in the file: \`accounts:accept: {R07: "the reason, for reviewers"}\`. The reason shows wherever the environment is shown. _By name_ means that the reason has to contain the value, so that the next one is found again.
- An acceptance of a rule that nothing breaks is a finding itself.
- A file whose account and host are still the placeholders is a draft: what its owner has to fill in is listed and is no finding. \`pulumi up\` refuses it.
- Nobody without a key opens secrets, so \`pulumi preview\` and \`pulumi up\` check R40, and R41 within one environment. Between environments they and \`environment check\` find a copied seal alone, and say so; \`./accounts secret doctor\` opens what Pulumi opens for whoever runs it, and compares the values.
- Keys of other providers, Pulumi's own and the \`environment\` of Pulumi ESC are let through.
`

/** `docs/environment-rules.md`. */
export function rulesPage(): string {
  const columns = ["Rule", "What holds", "What to do", "May be accepted"]
  const all: Pick<Rule, "id" | "message" | "fix" | "accept">[] = [...rules, ownersRule]
  const rows = all.map(({ id, message, fix, accept = "never" }) => [id, message, fix, accept])
  return `${introduction}\n${markdownTable(columns, rows)}\n`
}
