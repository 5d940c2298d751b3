/** What a file is a part of, for those who look at a change: the first that holds. */
const parts = [
  {
    // Of a workspace, too: npm runs their scripts.
    part: "is installed",
    holds: /(?:^|\/)(?:package(?:-lock)?\.json|npm-shrinkwrap\.json|\.npmrc)$/,
  },
  {
    part: "is declared",
    holds:
      /^environments\/(?:Pulumi\.[^/]+\.yaml|preview(?:\.[^/]+)?\.yaml|[^/]+\.effective\.yaml|stack\.schema\.json)$|^migrations\/(?:[^/]+\.(?:sql|md)|meta\/[^/]+\.json)$/,
  },
  {
    part: "judges",
    holds:
      /^(?:\.github|\.ci|\.ox|infra\/project\.ts$|packages\/(?:d1-migrations|tools\/(?:environment|cli\/re(?:view|hearsal)|cli\/command\/review)))|(?:^|\/)CODEOWNERS$/,
  },
  { part: "is read alone", holds: /^(?:packages\/bench|docs|examples)\/|^(?:[^/]+\.md|LICENSE)$/ },
  { part: "tests", holds: /^packages\/[^/]+\/tests\/|\/testing\/|\.test\.ts$|^vitest/ },
  // The pages bring the client into the Worker.
  { part: "answers requests", holds: /^(?:app|packages\/client\/src)\// },
  // Whatever nobody has thought of runs where the keys are.
  { part: "plans or deploys", holds: /^/ },
] as const

export type CodePart = (typeof parts)[number]["part"]

export function partOf(path: string): CodePart {
  return parts.find(({ holds }) => holds.test(path))?.part ?? "plans or deploys"
}
