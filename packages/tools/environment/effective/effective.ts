import { Document } from "yaml"

import { browserOf, namesOf, reachOf } from "./reach.ts"
import type { Section, Sources } from "./section.ts"
import { bindingsSection, protectionSection, runtimeSection, secretsSection } from "./worker.ts"

/** All that decides what an environment is, for reviewers; without its code. */
function effectiveSections(sources: Sources): Section[] {
  const { migrations, accepted, others } = sources
  const sections: Section[] = [
    namesOf(sources),
    reachOf(sources),
    browserOf(sources),
    bindingsSection(sources),
    secretsSection(sources),
    runtimeSection(sources),
    protectionSection(sources),
    {
      name: "migrations",
      comment: "The schema, with the checksum of each file",
      facts: Object.fromEntries(migrations.map(({ name, sha256 }) => [name, sha256])),
    },
    {
      name: "accepted",
      comment: "Rules of docs/environment-rules.md that it breaks, and why",
      facts: Object.fromEntries(
        accepted.map(({ rule, key, reason, accepted: why = "" }) => [
          `${rule} ${key}`,
          `${why} (${reason})`,
        ]),
      ),
    },
    {
      name: "others",
      comment: "What the file says to others than this project",
      facts: Object.fromEntries(
        Object.entries(others).map(([key, value]) => [key, JSON.stringify(value)]),
      ),
    },
  ]
  return sections
    .filter(({ facts }) => Object.keys(facts).length > 0)
    .map(({ name, comment, facts }) => ({ name, comment, facts: withoutCredentials(facts) }))
}

/** Rules refuse credentials and queries in a URL, and what they refuse is shown all the same, but for them. */
function withoutCredentials(facts: Record<string, string>): Record<string, string> {
  const entries = Object.entries(facts).map(([key, value]) => [
    key,
    value
      .replaceAll(/(?<=:\/\/)[^/\s]*@/g, "(credentials)@")
      .replaceAll(/(?<=:\/\/[^\s?#]*)[?#]\S*/g, "?(query)"),
  ])
  return Object.fromEntries(entries)
}

/** The same facts by section and name, such as `reach: api`, for comparisons. */
export function effectiveFacts(sources: Sources): Record<string, string> {
  return Object.fromEntries(
    effectiveSections(sources).flatMap(({ name, facts }) =>
      Object.entries(facts).map(([key, value]) => [`${name}: ${key}`, value] as const),
    ),
  )
}

const heading = `# Rendered by \`./accounts environment render\`: do not edit it. \`./accounts environment check\` refuses a stale
# one, and \`pulumi up\` refuses to deploy another than this one.
`

/** One fact a line, sorted, so that Git's own diff is the review. */
export function effectiveText(sources: Sources): string {
  const parts = effectiveSections(sources).map(({ name, comment, facts }) => {
    const sorted = Object.entries(facts).toSorted(([one], [other]) => (one < other ? -1 : 1))
    const document = new Document({ [name]: Object.fromEntries(sorted) })
    return `# ${comment}\n${document.toString({ lineWidth: 0 })}`
  })
  return `${heading}\n${parts.join("\n")}`
}
