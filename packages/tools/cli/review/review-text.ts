import { code, list, markdownTable } from "../../documents/pages.ts"
import type { Finding } from "../../environment/rules/rules.ts"
import { readingOrder } from "./branch-files.ts"
import {
  groupEqual,
  changeLine,
  factSections,
  type Line,
  migrationLines,
  sectionsBlock,
} from "./change-text.ts"
import {
  type EnvironmentChanges,
  keepsNoDatabase,
  renderedOtherwise,
  type Review,
} from "./review.ts"
import { firstSentence, rehearsalSection } from "./verdict.ts"

/** Marks the comment of a pull request, so that the next run finds it. */
const mark = "<!-- accounts review -->"

/** Returns the text for the comment of a pull request, and for the terminal. */
export function reviewText(review: Review): string {
  const { environments, refused, inherited, accepted, routes, api, migrations, rehearsal } = review
  const section = (title: string, lines: string[]) =>
    lines.length === 0 ? [] : [`### ${title}`, list(lines)]
  const block = (title: string, lines: Line[]) =>
    lines.length === 0 ? [] : [`### ${title}`, sectionsBlock([{ title: "", lines }])]
  return [
    mark,
    firstSentence(review),
    ...section("Refused", refused.map(findingText)),
    ...codeText(review),
    "## What this changes in each environment",
    ...environmentsText(environments),
    ...staleText(review),
    ...section("What callers of the API lose", api.map(apiText)),
    ...block("Routes, as `docs/routes.json` has them", routes.map(changeLine)),
    ...block("Migrations", migrationLines(migrations)),
    ...(rehearsal === undefined
      ? []
      : [
          rehearsalSection(
            rehearsal,
            migrations.flatMap(({ objections }) => objections),
          ),
        ]),
    ...lostText(environments),
    ...section("Accepted by the files", accepted.map(findingText)),
    ...section("Not by this branch: the base is refused for it, too", inherited.map(findingText)),
    bundleText(review.bundle),
    ...previewText(review.preview),
    "_Made without any key, so nothing here is known of what is live: the plan after the merge says it._",
  ].join("\n\n")
}

/** Renders changes like a plan does, and names the environments without a change. */
function environmentsText(environments: EnvironmentChanges[]): string[] {
  const isUnchanged = ({ changes, unreadable }: EnvironmentChanges) =>
    !unreadable && changes.length === 0
  const unchanged = environments.filter(isUnchanged).map(({ name }) => name)
  const changed = groupEqual(environments.filter((environment) => !isUnchanged(environment)))
  return [
    ...changed.flatMap(({ names, changes, unreadable }) => [
      `### ${names.join(", ")}`,
      unreadable ? "cannot be read" : sectionsBlock(factSections(changes)),
    ]),
    ...(unchanged.length === 0 ? [] : [`Nothing in ${unchanged.join(", ")}.`]),
  ]
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
    ? "\n\nRevert the change. If nothing was deployed yet, set `accounts:protectDatabase: false` and accept it with a reason."
    : ""
  return [`${title}\n\nIts database would be replaced by an empty one:\n\n${list(lines)}${way}`]
}

/** Lists effective files that differ from the judging code's output. The branch's own code may have rendered them. */
function staleText(review: Review): string[] {
  const { stale } = review
  if (stale.length === 0) return []
  const paths = list(stale.map(({ path }) => code(path)))
  if (renderedOtherwise(review).length === 0) {
    return [`### Stale\n\n${paths}\n\nRender them: \`./accounts environment render\`.`]
  }
  return [
    `### Rendered by the code of the branch\n\nIt renders other files than the code that judges does:\n\n${paths}`,
    ...environmentsText(renderedOtherwise(review)),
  ]
}

function findingText({ rule, file, line, key, reason, fix, accepted }: Finding): string {
  const place = code(line === undefined ? file : `${file}:${line}`)
  const advice = accepted === undefined ? `Fix: ${code(fix)}` : `Accepted: ${code(accepted)}`
  return `**${rule}** ${place} ${code(key)} ${code(reason)} ${advice}`
}

function apiText({ operation, loses }: Review["api"][number]): string {
  return `${code(operation)} ${code(loses)}`
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
  // Only a plain URL becomes a link: the branch must not choose what a link shows.
  const place = /^https?:\/\/[a-z0-9.:-]+$/.test(url) ? `<${url}>` : code(url)
  return [`Preview of ${code(branch)}: ${place}, once \`branch up\` has run.`]
}

/** Limits of a list of files or packages: entries, characters of an entry, and bytes in total. */
const [most, longest, room] = [40, 200, 6000]

/** Lists changed code first, because the judging code cannot know what it does. */
function codeText({ judge, code: files, packages }: Review): string[] {
  if (files.length === 0) return []
  const first = files.some(({ part }) => part !== "tests" && part !== "answers requests")
  const title = first ? "Read first: this changes what judges, plans or deploys" : "Changed code"
  const by =
    judge === undefined
      ? "**This text is written by the code of the branch itself.**"
      : `This text is written by the code of ${code(judge.slice(0, 12))}, which ran none of the branch's.`
  const rows = readingOrder.flatMap((part) => {
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
  const head = lines.filter(isWithin)
  const rest = lines.length - head.length
  return rest > 0 ? [...head, `and ${rest} more`] : lines
}
