import { physicalName, templateBranch } from "../environment.ts"
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
      // One front end may call the APIs of all previews.
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
      const found = neighbours
        .filter((other) => other.environment.accountId === environment.accountId)
        .filter((other) => physicalName(other.stack, other.environment) === name)
        .flatMap(({ label }) =>
          at(key, `makes ${name} its Worker and database, which are those of ${label}`),
        )
      return [...found, ...ofEveryPreview(subject, ["accounts:name"], environment.name)]
    },
  },
]

/** A template is read as the preview of one branch: what does not name it would be that of every other, too. */
function ofEveryPreview({ stack }: Subject, path: Path, value: string | undefined): Found[] {
  if (stack !== `preview-${templateBranch}` || value === undefined) return []
  if (value.includes(templateBranch)) return []
  return [{ path, reason: `${value} would be that of every preview: it needs {branch}` }]
}
