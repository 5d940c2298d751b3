import { markdownTable } from "../../documents/markdown-table.ts"
import { code, list } from "../../documents/markdown-text.ts"
import { type Change, describeChanges } from "../../environment/effective/changes.ts"
import type { Finding } from "../../environment/rules/judge.ts"
import { codeText } from "./code-text.ts"
import { factRows as rows } from "./fact-rows.ts"
import { keepsNoDatabase } from "./lost-databases.ts"
import { rehearsalText } from "./review-rehearsal.ts"
import { rendersOtherwise, type Review } from "./review.ts"

/** By it the comment of a pull request is found again. */
const mark = "<!-- accounts review -->"

/** The comment of a pull request, and what the command prints. */
export function reviewText(review: Review): string {
  const { environments, refused, accepted, routes, migrations, rehearsal } = review
  return [
    mark,
    ...codeText(review),
    "## What this changes in each environment",
    environmentTable(review),
    ...(refused.length === 0 ? [] : ["### Refused", list(refused.map(findingText))]),
    ...staleText(review),
    ...(routes.length === 0
      ? []
      : ["### Routes, as `docs/routes.json` has them", list(routes.map(routeText))]),
    ...(migrations.length === 0 ? [] : ["### Migrations", list(migrations.map(migrationText))]),
    ...(rehearsal === undefined ? [] : [rehearsalText(rehearsal)]),
    ...lostText(environments),
    ...(accepted.length === 0
      ? []
      : ["### Accepted by the files", list(accepted.map(findingText))]),
    bundleText(review.bundle),
    ...previewText(review.preview),
    ...environments.filter(({ changes }) => changes.length > 0).map(fold),
    "_Made without any key, so nothing here is known of what is live: the plan after the merge says it._",
  ].join("\n\n")
}

function environmentTable({ environments }: Review): string {
  const shown = rows.filter(
    ({ holds, always }) => always || environments.some(({ changes }) => changes.some(holds)),
  )
  const cells = shown.map(({ title, holds }) =>
    [title].concat(
      environments.map(({ unreadable, changes }) =>
        unreadable ? "cannot be read" : cell(changes.filter(holds)),
      ),
    ),
  )
  return markdownTable(["", ...environments.map(({ name }) => name)], cells)
}

function cell(changes: Change[]): string {
  if (changes.length === 0) return "="
  return changes.map((change) => code(summary(change))).join("<br>")
}

function summary({ section, key, before, after }: Change): string {
  if (before === undefined) return `+ ${key}`
  if (after === undefined) return `- ${key}`
  const brief = section === "reach" || section === "runtime" || section === "deletion"
  return brief ? `~ ${key} ${before} → ${after}` : `~ ${key}`
}

function lostText(environments: Review["environments"]): string[] {
  const lines = environments.flatMap(({ name, changes }) =>
    changes
      .filter(keepsNoDatabase)
      .map(({ key, before, after }) => code(`${name}: ${key} ${before} → ${after}`)),
  )
  if (lines.length === 0) return []
  const title = "### Refused by the plan, once the environment is deployed"
  const way = environments.some(({ loses }) => loses)
    ? "\n\nPut it back. Where nothing was deployed yet, `accounts:protectDatabase: false` says so, accepted with a reason."
    : ""
  return [`${title}\n\nIts database would be replaced by an empty one:\n\n${list(lines)}${way}`]
}

/** An effective file that the branch's own code has rendered may differ; by whose code is said. */
function staleText(review: Review): string[] {
  const { stale } = review
  if (stale.length === 0) return []
  const paths = list(stale.map(({ path }) => code(path)))
  if (!rendersOtherwise(review)) {
    return [`### Stale\n\n${paths}\n\nRender them: \`npm run fix\`.`]
  }
  return [
    `### Rendered by the code of the branch\n\nIt renders another file than the code that judges does:\n\n${paths}`,
    ...stale.map(({ path, changes }) =>
      fold({ name: `${path.replaceAll(/[^\w./-]/g, "?")} says otherwise`, changes }),
    ),
  ]
}

function findingText({ rule, file, line, key, reason, fix, accepted }: Finding): string {
  const place = code(line === undefined ? file : `${file}:${line}`)
  const advice = accepted === undefined ? `Fix: ${code(fix)}` : `Accepted: ${code(accepted)}`
  return `**${rule}** ${place} ${code(key)} ${code(reason)} ${advice}`
}

function routeText({ route, fact, before, after }: Review["routes"][number]): string {
  const changed = [before, after].map((value) => (value === undefined ? "nothing" : code(value)))
  return `${code(route)} ${code(fact)}: ${changed.join(" → ")}`
}

function migrationText({ name, kind, objections }: Review["migrations"][number]): string {
  const refused = objections.map((objection) => `\n  - refused: ${code(objection)}`)
  return `${code(name)} **${kind}**${refused.join("")}`
}

function bundleText({ before, after }: Review["bundle"]): string {
  if (before === undefined || after === undefined) return "Bundle: not known."
  if (before === after) return `Bundle, as \`docs/bundle.md\` has it: ${after} KiB, as before.`
  const growth = Math.round((after - before) * 10) / 10
  return `Bundle, as \`docs/bundle.md\` has it: ${before} → ${after} KiB (${growth > 0 ? "+" : ""}${growth}).`
}

function previewText(preview: Review["preview"]): string[] {
  if (preview === undefined) return []
  const { branch, url } = preview
  if (url === undefined) return ["Preview: none before `environments/preview.yaml` is filled in."]
  // Only so is it a link, and a branch's own text never is one.
  const place = /^https?:\/\/[a-z0-9.:-]+$/.test(url) ? `<${url}>` : code(url)
  return [`Preview of ${code(branch)}: ${place}, once \`branch up\` has run.`]
}

function fold({ name, changes }: Review["environments"][number]): string {
  // Text of the branch must not end the block.
  const text = describeChanges(changes).replaceAll("```", "'''")
  return `<details><summary>${name}: ${changes.length} facts</summary>\n\n\`\`\`diff\n${text}\n\`\`\`\n\n</details>`
}
