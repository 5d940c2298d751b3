import { problemsOf, rehearsalText } from "@accounts-stack/d1-migrations"

import { messageOf } from "../../base/failure.ts"
import { code } from "../../documents/pages.ts"
import { type Change, sessionReach } from "../../environment/effective/facts.ts"
import { readBaseCommit } from "../rehearsal/base-commit.ts"
import { rehearseBranch, type Rehearsing, toldOf } from "../rehearsal/rehearse-branch.ts"
import { readingOrder } from "./branch-files.ts"
import {
  groupEqual,
  changeLine,
  consequencesOf,
  factSections,
  type Line,
  lineSummary,
} from "./change-text.ts"
import { renderedOtherwise, type Review, type ReviewRehearsal } from "./review.ts"

/**
 * Rehearses new migrations; undefined if there are none, or if one was edited or removed, which is refused anyway.
 * @param migrations the branch's changes of migration files
 */
export async function rehearseNew(
  migrations: { kind: string }[],
  options: Omit<Rehearsing, "base"> & { base: string },
): Promise<ReviewRehearsal | undefined> {
  const spoilt = migrations.some(({ kind }) => kind === "edited" || kind === "removed")
  if (migrations.length === 0 || spoilt) return undefined
  try {
    const base = readBaseCommit(options.root, options.base, "--base")
    return { rehearsal: await rehearseBranch({ ...options, base }) }
  } catch (error) {
    options.signal.throwIfAborted()
    // The reader still needs the rest of the review.
    return { failure: messageOf(error) }
  }
}

/** Leaves out objections to files, which the section of migrations shows. */
export function rehearsalSection(rehearsed: ReviewRehearsal, objections: string[]): string {
  if ("failure" in rehearsed) return `Not rehearsed: ${code(rehearsed.failure)}`
  const report = toldOf(rehearsed.rehearsal)
  const problems = report.problems.filter(
    (problem) => !objections.some((objection) => problem.startsWith(objection)),
  )
  const text = rehearsalText(rehearsed.rehearsal, { ...report, problems })
  return `Rehearsed in a local D1:\n\n\`\`\`text\n${text}\n\`\`\``
}

function rehearsalProblems(rehearsed: ReviewRehearsal): string[] {
  return "failure" in rehearsed
    ? [`its migrations were not rehearsed: ${rehearsed.failure}`]
    : problemsOf(rehearsed.rehearsal)
}

/** Lists why the branch may not be merged as it is, the most important first; empty if it may. */
function objectionsTo(review: Review): string[] {
  const { environments, refused, stale, packages, migrations, rehearsal } = review
  const ofFiles = migrations.flatMap(({ name, objections }) =>
    objections.map((objection) =>
      objection.startsWith(name) ? objection : `${name}: ${objection}`,
    ),
  )
  // The rehearsal stops at the same objections.
  const rehearsalDoubts =
    rehearsal === undefined || ofFiles.length > 0 ? [] : rehearsalProblems(rehearsal)
  return [
    ...refused.map(({ rule, file, line, key, reason }) => {
      const place = line === undefined ? file : `${file}:${line}`
      return `${rule}, ${code(`${place} ${key}`)} ${code(reason)}`
    }),
    ...environments
      .filter(({ loses = false }) => loses)
      .map(({ name }) => `the database of ${name} would be replaced by an empty one`),
    ...environments
      .filter(({ unreadable = false }) => unreadable)
      .map(({ name }) => `${name} cannot be read`),
    ...[...ofFiles, ...rehearsalDoubts].map((text) => code(firstSentenceOf(text))),
    ...packages.doubts.map(code),
    ...(renderedOtherwise(review).length > 0
      ? []
      : stale.map(({ path }) => `${code(path)} is not rendered: \`npm run fix\``)),
  ]
}

/** Whether the branch may be merged as it is. */
export function isGood(review: Review): boolean {
  return objectionsTo(review).length === 0
}

function firstSentenceOf(text: string): string {
  return /^.*?(?=\. [A-Z])/s.exec(text)?.[0] ?? text
}

/** Limits on the items of one kind, and on all. */
const [mostOfOne, mostOfAll] = [2, 4]

/** Returns the sentence that tells a reviewer whether the branch may be merged, and what it changes. */
export function firstSentence(review: Review): string {
  const objections = objectionsTo(review)
  const verdict = objections.length === 0 ? "" : `**Not as it is:** ${some(objections, 1)}. `
  const [unjudged, changes] = [codeOf(review), changesOf(review)]
  const isKnown = review.environments.every(({ unreadable = false }) => !unreadable)
  const where = isKnown ? "any environment" : "an environment that can be read"
  const beside = unjudged.length === 0 ? "nothing" : "beside that nothing"
  const unchanged = `${beside} in ${where}, of the API's description or of the database`
  const summary = changes.length === 0 ? [unchanged] : [some(changes, mostOfAll, "; ")]
  return `${verdict}**Changes** ${[...unjudged, ...summary].join("; ")}.`
}

function changesOf(review: Review): string[] {
  const { migrations, api, routes, packages, bundle } = review
  const rendered = renderedOtherwise(review).map(({ name, changes }) => {
    return { name: `${name} as the branch renders it`, changes }
  })
  const environments = [...review.environments, ...rendered]
  const titled = (title: string, items: string[]) =>
    items.length === 0 ? [] : [`${title}: ${some(items, mostOfOne)}`]
  const equalGroups = groupEqual(environments.filter(({ changes }) => changes.length > 0))
  return [
    ...environments.flatMap(({ name, changes }) =>
      consequencesOf(changes).map((text) => `${name}: ${text}`),
    ),
    ...review.environments
      .filter(({ movesHost = false }) => movesHost)
      .map(({ name }) => {
        const first = code("accounts:protectHostname: false")
        return `${name}: the API moves, which a protected host refuses: release ${first} before (R44)`
      }),
    ...migrations.flatMap(({ name, declared }) => titled(code(name), declared.map(code))),
    ...titled(
      "callers lose",
      api.map(({ operation, loses }) => code(`${operation} ${loses}`)),
    ),
    ...equalGroups.flatMap(({ names, changes }) => titled(names.join(", "), telling(changes))),
    ...titled("routes", factsOf(routes).map(changeLine).map(summaryOf)),
    ...titled(
      "new routes",
      routes.filter(({ before }) => before === undefined).map(({ key }) => code(key)),
    ),
    ...titled(
      "migrations",
      migrations
        .filter(({ declared }) => declared.length === 0)
        .map(({ name, kind }) => `${code(name)} (${kind})`),
    ),
    ...titled("packages", packages.changed.map(code)),
    ...(bundle.before === bundle.after ? [] : [`bundle: ${bundle.before} → ${bundle.after} KiB`]),
  ]
}

/** Facts that clients notice come before internal ones. */
const mostTelling = ["who", "prices", "plan", "limits", "origin"]

function factsOf(routes: Change[]): Change[] {
  const rank = ({ key }: Change) =>
    (mostTelling.indexOf(key.replace(/^.* /, "")) + mostTelling.length + 1) %
    (mostTelling.length + 1)
  return routes
    .filter(({ before, after }) => before !== undefined && after !== undefined)
    .toSorted((route, nextRoute) => rank(route) - rank(nextRoute))
}

/** Characters of a change in the first sentence. */
const longest = 200

/** Formats a change with its values, truncated to `longest`. */
function summaryOf(line: Line): string {
  const words = lineSummary(line)
  return code(words.length > longest ? `${words.slice(0, longest)}…` : words)
}

/** Orders changes by importance: the first of each section, then the rest. Migrations have their own sentences. */
function telling(changes: Change[]): string[] {
  const ordered = changes.toSorted((change, two) => +isReach(two) - +isReach(change))
  const rows = factSections(ordered)
    .filter(({ title }) => title !== "migrations")
    .map(({ title, lines }) => lines.map((line) => `${title} ${summaryOf(line)}`))
  return [...rows.flatMap((row) => row.slice(0, 1)), ...rows.flatMap((row) => row.slice(1))]
}

function isReach({ key }: Change): boolean {
  return key === sessionReach
}

/** Lists the code that no comparison can judge, so that a reviewer reads it first. */
function codeOf({ code: files, packages }: Review): string[] {
  const groups = Map.groupBy(files, ({ part }) => part)
  return readingOrder.flatMap((part) => {
    const group = groups.get(part) ?? []
    const isTold = part === "is installed" && packages.changed.length > 0
    if (group.length === 0 || isTold) return []
    const operations = [...new Set(group.flatMap((file) => file.operations ?? []))].toSorted()
    // Generated files are the least informative.
    const isGenerated = ({ path }: { path: string }) => /openapi\.json$|\.generated\.ts$/.test(path)
    const ordered = group.toSorted((a, b) => +isGenerated(a) - +isGenerated(b))
    const paths = ordered.map(({ path }) => code(path))
    const behind = operations.length === 0 ? "" : `, behind ${some(operations.map(code), 3)}`
    return [`code that ${part}: read ${some(paths, mostOfOne)}${behind}`]
  })
}

function some(items: string[], most: number, separator = ", "): string {
  const rest = items.length - most
  const head = items.slice(0, most).join(separator)
  return rest > 0 ? `${head}${separator}and ${rest} more` : head
}
