import { join, relative } from "node:path"
import { pathToFileURL } from "node:url"

import * as z from "zod"

import { Failure, messageOf } from "../../base/failure.ts"
import { root } from "../../base/root.ts"
import type { Project } from "./project.ts"

const file = "infra/project.ts"

/** What this version of the tools understands. */
const contract = 1

async function loadProject(): Promise<Project> {
  const { project: found } = await importProject()
  const version = z.object({ contract: z.unknown() }).safeParse(found).data?.contract
  if (version !== undefined && version !== contract) {
    throw broken(
      `is of contract ${JSON.stringify(version)}, and these tools are of contract ${contract}`,
    )
  }
  const { error } = Shape.safeParse(found)
  if (error || found === undefined) throw broken(describeIssues(error?.issues ?? []))
  return found
}

async function importProject(): Promise<{ project?: Project }> {
  try {
    return await import(pathToFileURL(join(root, file)).href)
  } catch (error) {
    throw broken(`cannot be loaded: ${describeCause(error)}`, error)
  }
}

function broken(reason: string, cause?: unknown): Failure {
  return new Failure("COMMAND_FAILED", `${file} ${reason}`, { cause })
}

/** In one line. V8 writes the place of a syntax error above its stack. */
function describeCause(error: unknown): string {
  const message = messageOf(error)
    .trim()
    .replaceAll(/\s*\n\s*/g, " ")
  const stack = error instanceof SyntaxError ? (error.stack ?? "") : ""
  const [, path, line] = /^file:\/\/(.*):(\d+)$/m.exec(stack) ?? []
  return path === undefined ? message : `${relative(root, path)}:${line}: ${message}`
}

function describeIssues(issues: z.core.$ZodIssue[]): string {
  const problems = issues.map(({ path, message }) => `${path.join(".") || "`project`"}: ${message}`)
  return `is not what defineProject takes: ${problems.join("; ")}`
}

const functionLike = z.custom((value) => typeof value === "function", "must be a function")
const schema = z.custom((value) => value instanceof z.ZodType, "must be a schema of this zod")
const path = z.string().regex(/^\/./, "must be a path")

/** As far as the compiler would say it. Own code is not looked into. */
const Shape = z.object({
  contract: z.literal(contract),
  bindings: z.record(z.string(), z.object({ type: z.string(), required: z.string() })),
  identityProviderBindings: functionLike,
  runtime: z.object({
    compatibilityDate: z.string(),
    compatibilityFlags: z.array(z.string()),
  }),
  bundling: z.object({ entryPoints: z.array(z.string()).min(1), plugins: z.array(z.unknown()) }),
  secondModule: z
    .object({ name: z.string(), entryPoint: z.string(), binding: z.string(), firstPage: path })
    .optional(),
  tables: z.string(),
  rows: z.string().optional(),
  cookies: z.object({
    browserCookies: functionLike,
    sessionLifetime: z.number(),
  }),
  schemas: z.object({ provider: schema, tokens: schema }),
  paths: z.object({ apiPage: path, paymentWebhook: path, changeRole: path }),
  operator: z.object({
    owner: z.object({ grant: functionLike, standing: functionLike }),
    signOut: z.object({ end: functionLike, access: functionLike }),
    secondFactor: z.object({ standing: functionLike, takeOff: functionLike }),
    ways: z.object({ count: functionLike }),
    anyUser: z.string(),
  }),
  keys: z.record(z.string().regex(/^[a-z][A-Za-z0-9]*$/, "must be in camelCase"), schema),
  plain: z.record(
    z.string(),
    z.object({ keys: z.array(z.string()).min(1), valueOf: functionLike }),
  ),
  lasting: z
    .record(
      z.string(),
      z.object({
        loses: z.string(),
        fix: z.string(),
        nothing: z.string(),
        givenUp: functionLike,
      }),
    )
    .optional(),
  rotated: z.record(
    z.string(),
    z.object({
      key: z.string(),
      lasts: z.number(),
      does: z.string(),
      keeps: z.string(),
      loses: z.string(),
    }),
  ),
  generated: z.record(
    z.string(),
    z.object({
      suffix: z.string().regex(/^[a-z][a-z0-9-]*$/, "must be lower-case words with dashes"),
      made: z.union([
        z.enum(["everywhere", "unless permanent"]),
        z.object({ besideSandbox: functionLike }),
      ]),
    }),
  ),
  rules: z.array(
    z.object({
      id: z.string().regex(/^A\d\d$/, "must be A01 to A99: R01 to R99 are the tools' own"),
      message: z.string(),
      fix: z.string(),
      check: functionLike,
    }),
  ),
})

/** The service of this checkout, as its infra/project.ts hands it over. */
export const project = await loadProject()
