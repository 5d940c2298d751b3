import { code } from "../../documents/markdown-text.ts"
import { rehearsalProblems } from "./review-rehearsal.ts"
import { renderedOtherwise, type Review } from "./review.ts"

/** Why the branch may not be merged as it is, what says most first; empty when it may. */
export function objectionsTo(found: Review): string[] {
  const { environments, refused, stale, packages, migrations, rehearsal } = found
  const ofFiles = migrations.flatMap(({ name, objections }) =>
    objections.map((one) => (one.startsWith(name) ? one : `${name}: ${one}`)),
  )
  // The rehearsal stops at the same.
  const tried = rehearsal === undefined || ofFiles.length > 0 ? [] : rehearsalProblems(rehearsal)
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
    ...[...ofFiles, ...tried].map((text) => code(firstSentenceOf(text))),
    ...packages.doubts.map(code),
    ...(renderedOtherwise(found).length > 0
      ? []
      : stale.map(({ path }) => `${code(path)} is not rendered: \`npm run fix\``)),
  ]
}

/** Whether the branch may be merged as it is. */
export function isGood(found: Review): boolean {
  return objectionsTo(found).length === 0
}

function firstSentenceOf(text: string): string {
  return /^.*?(?=\. [A-Z])/s.exec(text)?.[0] ?? text
}
