import { isLoopback } from "../../base/loopback.ts"
import { physicalName, templateBranch } from "../environment.ts"
import { permanent } from "../stack-keys.ts"
import { isDraft } from "./account.ts"
import { at, type Found, type Path, type Rule, type Subject } from "./rule.ts"

export const neighbourRules: Rule[] = [
  {
    id: "R24",
    message: "No two environments have one host",
    fix: "give each environment its own",
    check: (subject) => [
      ...(["apiOrigin", "webOrigin"] as const).flatMap((key) =>
        subject.neighbours
          .filter(({ environment: { apiOrigin, webOrigin } }) =>
            [apiOrigin, webOrigin].some((origin) => origin && origin === subject.environment[key]),
          )
          .flatMap(({ label }) =>
            at(`accounts:${key}`, `${subject.environment[key]} is also that of ${label}`),
          ),
      ),
      // A front end may call the APIs of all previews.
      ...ofEveryPreview(subject, ["accounts:apiOrigin"], subject.environment.apiOrigin),
    ],
  },
  {
    id: "R25",
    message: "No two environments have one route",
    fix: "leave it to one of them",
    check: (subject) =>
      (subject.environment.routes ?? []).flatMap((pattern, index) => {
        const path = ["accounts:routes", index]
        const sharing = subject.neighbours
          .filter(({ environment }) => environment.routes?.includes(pattern))
          .map(({ label }) => ({ path, reason: `${pattern} is also a route of ${label}` }))
        return sharing.concat(ofEveryPreview(subject, path, pattern))
      }),
  },
  {
    id: "R26",
    message:
      "No two environments of one account share a Worker, a database or rate limits: all have one name",
    fix: "give each accounts:name its own value",
    check: (subject) => {
      const { stack, environment, neighbours } = subject
      const name = physicalName(stack, environment)
      const key = environment.name === undefined ? "accounts:environment" : "accounts:name"
      const sameNamed = neighbours
        .filter((neighbour) => neighbour.environment.accountId === environment.accountId)
        .filter((neighbour) => physicalName(neighbour.stack, neighbour.environment) === name)
        .flatMap(({ label }) =>
          at(key, `makes ${name} its Worker and database, which are those of ${label}`),
        )
      return [...sameNamed, ...ofEveryPreview(subject, ["accounts:name"], environment.name)]
    },
  },
  {
    id: "R63",
    message: "Previews have their own Cloudflare account: unreviewed code has its token",
    fix: "give previews another account, or accept in both files that any branch can reach all of it",
    accept: "with a reason",
    applies: (subject) => !isLoopback(subject.baseUrl) && !isDraft(subject),
    check: ({ stack, environment, neighbours }) =>
      neighbours
        .filter((neighbour) => neighbour.environment.accountId === environment.accountId)
        .filter((neighbour) => isPreview(neighbour.stack) !== isPreview(stack))
        .filter((neighbour) => permanent(environment) || permanent(neighbour.environment))
        .flatMap(({ label }) => at("accounts:accountId", `is also the account of ${label}`)),
  },
  {
    id: "R64",
    message:
      "Only production sends mail by production's sender: what tests send would be read as its own",
    fix: "give it a sender and a mail service of its own, or accept in both files that they share one",
    accept: "with a reason",
    applies: ({ baseUrl }) => !isLoopback(baseUrl),
    check: ({ environment, neighbours }) =>
      neighbours
        .filter(
          (neighbour) =>
            (neighbour.environment.environment === "production") !==
            (environment.environment === "production"),
        )
        .flatMap(({ label, environment: readable }) =>
          (["mailUrl", "mailFrom"] as const).flatMap((key) =>
            at(
              `accounts:${key}`,
              addressIn(environment[key]) !== undefined &&
                addressIn(environment[key]) === addressIn(readable[key]) &&
                `is also that of ${label}`,
            ),
          ),
        ),
  },
]

function isPreview(stack: string): boolean {
  return stack.startsWith("preview-")
}

/** Reads the address of a sender with or without a name. */
function addressIn(text: string | undefined): string | undefined {
  return text?.replace(/^.*<(.+)>$/, "$1").toLowerCase()
}

/** Reports a value of a preview template that does not contain the branch, so that all previews would share it. */
function ofEveryPreview({ stack }: Subject, path: Path, value: string | undefined): Found[] {
  if (stack !== `preview-${templateBranch}` || value === undefined) return []
  if (value.includes(templateBranch)) return []
  return [{ path, reason: `${value} would be that of every preview: it needs {branch}` }]
}
