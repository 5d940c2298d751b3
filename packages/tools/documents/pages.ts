import { schemaUseBinding } from "../deploy/version/schema-use.ts"
import { ownersRule } from "../environment/check.ts"
import type { BindingDeclaration } from "../environment/project/binding.ts"
import { project } from "../environment/project/own-project.ts"
import type { Rule } from "../environment/rules/rule.ts"
import { rules } from "../environment/rules/rules.ts"
import { type DeclaredSecret, declaredSecrets } from "../environment/secrets.ts"

const rulesIntroduction = `# Rules of environments

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

/** Returns `docs/environment-rules.md`, without the fixes, which every finding includes. */
export function rulesPage(): string {
  const listedRules: Pick<Rule, "id" | "message" | "accept">[] = [...rules, ownersRule]
  const rows = listedRules.map(
    ({ id, message, accept }) => `- **${id}** ${message}${accept ? marks[accept] : ""}`,
  )
  return `${rulesIntroduction}\n${rows.join("\n")}\n`
}

const introduction = `# Bindings

Everything that the Worker is given. \`npm run fix\` writes this page from \`app/bindings.ts\` and the settings that it lists; change it there.
`

const aboutVariables = `## Variables

_Set by_ names the keys of the stack file. What is marked * staging and production must have.
`

const aboutSecrets = `## Secrets

Values are typed at a prompt or piped, never an argument: \`pulumi config set -s <stack> --secret --path accounts:secrets.<NAME>\` seals them under \`accounts:secrets\` with the key of the stack. \`./accounts environment check --secrets\` says what is missing, too many, weak, in clear or used twice. What is marked * staging and production must have.

- _Made by_: yourself (\`openssl rand -hex 32\`), \`./accounts secret rotate\`, or the service that it opens. What the stack makes it replaces by \`accounts:rotations\`.
- Those that say "or the stack" are made by stacks that are not permanent and do not bring them (keys of mail, payments and OpenID only for a sandbox on this machine).
- _Least_ is in characters.
- Identity providers other than \`idp\` have \`IDP_<ID>_CLIENT_ID\` and \`IDP_<ID>_CLIENT_SECRET\`.
`

/** Returns `docs/bindings.md`. */
export function bindingsPage(): string {
  const bindings = Object.entries(project.bindings)
  const variables = bindings.flatMap(([name, { type, required, summary }]) =>
    type === "plain_text" ? [[marked(name, required), stackKeys(name), summary]] : [],
  )
  const otherRows = bindings.flatMap(([name, declaration]) =>
    ["plain_text", "secret_text"].includes(declaration.type)
      ? []
      : [[`\`${name}\``, kindOf(declaration), declaration.summary]],
  )
  const secrets = declaredSecrets.map(({ name, required, made, least, summary }) => [
    marked(name, required),
    name in project.generated && made !== "by the stack"
      ? `${makers[made]}, or the stack`
      : makers[made],
    String(least),
    summary,
  ])
  return [
    introduction,
    aboutVariables,
    markdownTable(["Variable", "Set by", "What it is for"], variables),
    `\n${aboutSecrets}`,
    markdownTable(["Secret", "Made by", "Least", "What it is for"], secrets),
    "\n## Others\n",
    markdownTable(["Binding", "Type", "What it is for"], otherRows),
    "",
  ].join("\n")
}

/** @returns the name, with an asterisk if permanent environments need it */
function marked(name: string, required: BindingDeclaration["required"]): string {
  return `\`${name}\`${required === "never" ? "" : " *"}`
}

const makers = {
  "by the stack": "the stack",
  "by generate": "yourself, `rotate`",
  "by rotate": "`rotate`",
  "by its service": "its service",
} satisfies Record<DeclaredSecret["made"], string>

function kindOf(declaration: BindingDeclaration): string {
  if (declaration.type !== "ratelimit") return declaration.type
  return `ratelimit: ${declaration.simple.limit} in ${declaration.simple.period} s`
}

function stackKeys(name: string): string {
  if (name === schemaUseBinding) return "the program"
  const keys = project.plain[name]?.keys ?? ["identityProviders"]
  return keys.map((key) => `\`${key}\``).join(", ")
}

/** Returns a Markdown table, aligned as the formatter would. */
export function markdownTable(columns: string[], rows: string[][]): string {
  // A backslash before `|` would escape the added backslash, and `|` would end the cell.
  const escape = (cell: string) => cell.replaceAll(/\\(?=\|)/g, "\\ ").replaceAll("|", "\\|")
  const escaped = rows.map((row) => row.map(escape))
  const widths = columns.map((column, index) =>
    Math.max(3, column.length, ...escaped.map((row) => row[index]?.length ?? 0)),
  )
  const line = (cells: string[]) =>
    `| ${cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(" | ")} |`
  const rule = widths.map((width) => "-".repeat(width))
  return [columns, rule, ...escaped].map(line).join("\n")
}

/** Formats untrusted text as code, without mentions, links, HTML, line breaks or invisible characters. */
export function code(text: string): string {
  const line = text.replaceAll("`", "'").replaceAll(/\s*\n\s*/g, " ")
  return `\`${line.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, escapeOf)}\``
}

function escapeOf(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`
}

export function list(lines: string[]): string {
  return lines.map((line) => `- ${line}`).join("\n")
}
