import { all, set } from "../../../environment/testing/environments-folder.ts"
import { line, trust } from "../../../environment/testing/wrong-file.ts"
import { bundlePage, description, lock, routes } from "./contract.ts"
import type { Repository } from "./repository.ts"

type Branch = {
  name: string
  /** Whether it may be merged. */
  good: boolean
  change: (repository: Repository) => void | Promise<void>
}

const mailSecret = ["secrets", "MAIL_SECRET"]

/** Changes of pull requests, and whether they may be merged. */
export const branches: Branch[] = [
  {
    name: "host",
    good: true,
    change: ({ edit }) =>
      edit(all(set("apiOrigin", "https://auth.acme.com"), set("trustedOrigins", undefined))),
  },
  { name: "cookie-domain", good: true, change: ({ edit }) => edit(set("cookieDomain", undefined)) },
  {
    name: "cookie-domain-of-everybody",
    good: false,
    change: ({ edit }) => edit(set("cookieDomain", "com")),
  },
  {
    name: "origin-of-own-site",
    good: true,
    change: ({ edit }) => edit(trust("https://help.acme.com")),
  },
  { name: "origin", good: false, change: ({ edit }) => edit(trust("https://partner.org")) },
  { name: "binding", good: true, change: ({ edit }) => edit(set("mailFrom", "no-reply@acme.com")) },
  {
    name: "secret-added",
    good: true,
    change: ({ edit }) => edit(set(mailSecret, { secure: "v1:bQ:MMMM" })),
  },
  {
    name: "secret-sealed-anew",
    good: true,
    change: ({ edit }) => edit(set(["secrets", "AUTH_SECRET", "secure"], "v1:bQ:NNNN")),
  },
  {
    name: "secret-rotated",
    good: true,
    change: ({ edit }) =>
      edit(
        all(
          set(["secrets", "AUTH_SECRET", "secure"], "v1:bQ:NNNN"),
          set(["secrets", "AUTH_SECRET_PREVIOUS"], { secure: "v1:cHJvZHVjdGlvbg:AAAA" }),
          set("authSecretFrom", "2026-11-23T12:00:00Z"),
        ),
      ),
  },
  {
    name: "secrets-exchanged",
    good: false,
    change: async ({ edit, commit, begin }) => {
      edit(set(mailSecret, { secure: "v1:bQ:MMMM" }))
      await commit()
      begin()
      edit(
        all(
          set(["secrets", "AUTH_SECRET", "secure"], "v1:bQ:MMMM"),
          set([...mailSecret, "secure"], "v1:cHJvZHVjdGlvbg:AAAA"),
        ),
      )
    },
  },
  {
    name: "secret-in-clear",
    good: false,
    change: ({ edit }) => edit(set(mailSecret, "canary-in-clear")),
  },
  { name: "cron", good: true, change: ({ edit }) => edit(set("crons", ["5 4 * * *"])) },
  { name: "name", good: false, change: ({ edit }) => edit(set("name", "members")) },
  { name: "unreadable", good: false, change: ({ edit }) => edit(() => "config: [\n") },
  {
    name: "esc-import",
    good: true,
    change: ({ edit }) => edit((text) => `environment: [mallory/extra]\n${text}`),
  },
  { name: "location", good: false, change: ({ edit }) => edit(set("location", "apac")) },
  {
    name: "protection",
    good: true,
    change: ({ edit }) =>
      edit(
        all(
          set("protect", false),
          set(["accept"], { R44: "the account moves to another company" }),
        ),
      ),
  },
  {
    name: "migration-that-expands",
    good: true,
    change: ({ write }) =>
      write("migrations/0001_note.sql", "CREATE TABLE note (id TEXT PRIMARY KEY);\n"),
  },
  {
    name: "migration-that-destroys",
    good: false,
    change: ({ write }) => write("migrations/0001_gone.sql", "DROP TABLE member;\n"),
  },
  {
    name: "migration-that-rows-let-fail",
    good: false,
    change: ({ write }) =>
      write("migrations/0001_unique.sql", "CREATE UNIQUE INDEX member_name ON member (name);\n"),
  },
  {
    name: "dependency",
    good: true,
    change: ({ write }) => write("docs/bundle.md", bundlePage(607.5)),
  },
  {
    name: "another-provider",
    good: true,
    change: ({ edit }) => edit(line("aws:region: eu-central-1")),
  },
  {
    name: "text-of-the-service",
    good: true,
    change: ({ write }) => write("app/journal/prompt.ts", "export const prompt = 1\n"),
  },
  {
    name: "staging-under-production",
    good: false,
    change: ({ edit }) =>
      edit(
        all(
          (text) => text.replaceAll("acme-staging.net", "staging.acme.com"),
          set("zone", "acme.com"),
        ),
        "Pulumi.staging.yaml",
      ),
  },
  {
    name: "limit",
    good: true,
    change: ({ edit, begin }) => {
      for (const stack of ["production", "staging", "preview"]) {
        edit(
          (text) => text.replace("ratelimit 100 per", "ratelimit 60 per"),
          `${stack}.effective.yaml`,
        )
      }
      begin()
    },
  },
  {
    name: "limit-of-a-plan",
    good: true,
    change: ({ writeJson }) => {
      const route = "POST /api/v1/createEntry"
      const plan = "free 600, premium 1000 entries a month"
      writeJson("docs/routes.json", { ...routes, [route]: { ...routes[route], plan } })
    },
  },
  {
    name: "limit-of-a-plan-beside-other-facts",
    good: true,
    change: ({ writeJson }) => {
      const written = Object.entries(routes).map(([route, facts]) => {
        const planFacts = "plan" in facts ? facts.plan : undefined
        const plan = route.endsWith("createEntry")
          ? "free 600, premium 1000 entries a month"
          : planFacts
        return [route, { ...facts, statements: "insert journal_entry", plan }]
      })
      writeJson("docs/routes.json", Object.fromEntries(written))
    },
  },
  {
    name: "noun",
    good: true,
    change: ({ write, writeJson }) => {
      const names = ["createGoal", "listGoals", "deleteGoal"]
      const of = <Value>(value: Value) =>
        Object.fromEntries(names.map((name) => [`POST /api/v1/${name}`, value]))
      writeJson("docs/routes.json", { ...routes, ...of({ who: "member", limits: "LIMIT_MEMBER" }) })
      const paths = Object.fromEntries(names.map((name) => [`/api/v1/${name}`, { post: {} }]))
      writeJson("app/service/openapi/openapi.json", description({ paths }))
      write("packages/client/src/description.generated.ts", "export const description = {}\n")
      write("migrations/0001_goal.sql", "CREATE TABLE goal (id TEXT PRIMARY KEY);\n")
    },
  },
  {
    name: "field-no-longer-taken",
    good: true,
    change: ({ writeJson }) =>
      writeJson(
        "app/service/openapi/openapi.json",
        description({ sent: { text: { type: "string", maxLength: 500 } } }),
      ),
  },
  {
    name: "field-no-longer-answered",
    good: true,
    change: ({ writeJson }) =>
      writeJson("app/service/openapi/openapi.json", description({ answered: ["id"] })),
  },
  {
    name: "package",
    good: true,
    change: ({ writeJson }) => writeJson("package-lock.json", lock("4.13.18")),
  },
  {
    name: "package-from-elsewhere",
    good: false,
    change: ({ writeJson }) => writeJson("package-lock.json", lock("4.13.20", "https://evil.com")),
  },
  {
    name: "column-that-goes-as-declared",
    good: true,
    change: ({ write }) =>
      write(
        "migrations/0001_name.sql",
        "-- accounts:loses member.name: names are unused now\nALTER TABLE member DROP COLUMN name;\n",
      ),
  },
  {
    name: "beside-what-the-base-lacks",
    good: true,
    change: async ({ edit, write, begin, commit }) => {
      edit(set(["secrets", "AUTH_SECRET"], undefined))
      await commit()
      begin()
      write("app/journal/prompt.ts", "export const prompt = 1\n")
    },
  },
  {
    name: "what-judges",
    good: true,
    change: ({ write }) => write(".github/workflows/review.yml", "on: push\n"),
  },
  {
    name: "sign-up-open",
    good: true,
    change: async ({ edit, commit, begin }) => {
      edit(set("signUp", "invited"))
      await commit()
      begin()
      edit(set("signUp", undefined))
    },
  },
  {
    name: "passwords-off",
    good: false,
    change: ({ edit }) => edit(all(set("password", "off"), set("emailCode", "on"))),
  },
  {
    name: "price",
    good: true,
    change: ({ write, writeJson }) => {
      const route = "GET /api/v1/settings"
      write("app/payment/payment.rpc.ts", "const createCheckout = 49\n")
      writeJson("docs/routes.json", {
        ...routes,
        [route]: { ...routes[route], prices: "deepInsights 49 eur" },
      })
    },
  },
  {
    name: "limit-of-attempts",
    good: true,
    change: ({ write, writeJson }) => {
      const route = "GET /api/v1/settings"
      write("app/service/guard/attempts.ts", "export const limit = 1000\n")
      writeJson("docs/routes.json", {
        ...routes,
        [route]: { ...routes[route], "attempts of sign-in": "1000 in 15 min" },
      })
    },
  },
  {
    name: "price-in-code-alone",
    good: true,
    change: ({ write }) => {
      write("app/payment/price.ts", "export const price = 49\n")
      write(
        "app/journal/journal.rpc.ts",
        'import { price } from "../payment/price.ts"\nconst createEntry = price\n',
      )
    },
  },
  {
    name: "route-removed",
    good: true,
    change: ({ writeJson }) => {
      const { "POST /api/v1/createEntry": _, ...rest } = routes
      writeJson("docs/routes.json", rest)
      writeJson("app/service/openapi/openapi.json", { ...description(), paths: {} })
    },
  },
  {
    name: "code-behind-paths-and-pages",
    good: true,
    change: ({ write }) => {
      write("app/service/session/cookie.ts", "export const cookie = 1\n")
      write(
        "app/service/session/session-ending.ts",
        'import { cookie } from "./cookie.ts"\nexport const paths = {\n  path: "/sign-out",\n}\n',
      )
      write(
        "app/service/routes/endpoints.ts",
        'import { paths } from "../session/session-ending.ts"\n',
      )
      write("app/service/routes/auth.ts", 'import "./endpoints.ts"\n')
      write(
        "app/pages/account/devices.tsx",
        'import { cookie } from "../../service/session/cookie.ts"\nconst page = {\n  path: "/account/devices",\n}\n',
      )
    },
  },
  {
    name: "route-removed-in-code-alone",
    good: true,
    change: ({ write }) => write("app/journal/journal.rpc.ts", "const answerPrompt = 1\n"),
  },
  {
    name: "package-in-package.json-alone",
    good: false,
    change: ({ writeJson }) => writeJson("package.json", { dependencies: { hono: "4.14.0" } }),
  },
  { name: "words", good: true, change: ({ write }) => write("docs/scale.md", "# Scale\n") },
]
