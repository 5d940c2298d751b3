import { physicalName } from "../environment.ts"
import { always, type Rule } from "./rule.ts"

export const neighbourRules: Rule[] = [
  {
    id: "R24",
    message: "No two environments have one host",
    fix: "give each environment its own",
    accept: "never",
    applies: always,
    check: ({ environment, neighbours }) =>
      (["apiOrigin", "webOrigin"] as const).flatMap((key) =>
        neighbours
          .filter(({ environment: { apiOrigin, webOrigin } }) =>
            [apiOrigin, webOrigin].some((origin) => origin && origin === environment[key]),
          )
          .map(({ label }) => ({
            path: [`accounts:${key}`],
            reason: `${environment[key]} is also that of ${label}`,
          })),
      ),
  },
  {
    id: "R25",
    message: "No two environments have one route",
    fix: "leave it to one of them",
    accept: "never",
    applies: always,
    check: ({ environment: { routes = [] }, neighbours }) =>
      routes.flatMap((pattern, index) =>
        neighbours
          .filter(({ environment }) => environment.routes?.includes(pattern))
          .map(({ label }) => ({
            path: ["accounts:routes", index],
            reason: `${pattern} is also a route of ${label}`,
          })),
      ),
  },
  {
    id: "R26",
    message:
      "No two environments of one account share a Worker, a database or rate limits: all have one name",
    fix: "give each accounts:name its own value",
    accept: "never",
    applies: always,
    check: ({ stack, environment, neighbours }) => {
      const name = physicalName(stack, environment)
      const key = environment.name === undefined ? "accounts:environment" : "accounts:name"
      return neighbours
        .filter((other) => other.environment.accountId === environment.accountId)
        .filter((other) => physicalName(other.stack, other.environment) === name)
        .map(({ label }) => ({
          path: [key],
          reason: `makes ${name} its Worker and database, which are those of ${label}`,
        }))
    },
  },
]
