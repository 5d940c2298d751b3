import { join, relative } from "node:path"
import { pathToFileURL } from "node:url"

import * as z from "zod"

import { Failure, messageOf } from "../../base/failure.ts"
import { root } from "../../base/root.ts"
import type { Project } from "./project.ts"

const file = "infra/project.ts"

/** Version of the project's contract that these tools understand. */
const contract = 1

async function loadProject(): Promise<Project> {
  const { project: loaded } = await importProject()
  const version = z.object({ contract: z.unknown() }).safeParse(loaded).data?.contract
  if (version !== undefined && version !== contract) {
    throw broken(
      `is of contract ${JSON.stringify(version)}, and these tools are of contract ${contract}`,
    )
  }
  const { error } = Shape.safeParse(loaded)
  if (error || loaded === undefined) throw broken(describeIssues(error?.issues ?? []))
  return loaded
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

/** Formats a cause in one line. V8 writes the place of a syntax error above its stack. */
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

const object = z.looseObject({})

/** Checks the kind of each part, and rules that types do not express. The compiler checks the rest (`project.ts`). */
const Shape = z.object({
  contract: z.literal(contract),
  bindings: z.record(z.string(), object),
  identityProviderBindings: functionLike,
  runtime: object,
  bundling: z.looseObject({ entryPoints: z.array(z.string()).min(1) }),
  secondModule: z.looseObject({ firstPage: path, paths: z.array(path) }).optional(),
  tables: z.string(),
  cookies: z.looseObject({ browserCookies: functionLike }),
  schemas: z.record(z.string(), schema),
  paths: z.record(z.string(), path),
  operator: object,
  keys: z.record(z.string().regex(/^[a-z][A-Za-z0-9]*$/, "must be in camelCase"), schema),
  plain: z.record(z.string(), z.looseObject({ keys: z.array(z.string()).min(1) })),
  lasting: z.record(z.string(), object).optional(),
  rotated: z.record(z.string(), object),
  generated: z.record(
    z.string(),
    z.looseObject({
      suffix: z.string().regex(/^[a-z][a-z0-9-]*$/, "must be lower-case words with dashes"),
    }),
  ),
  rules: z.array(
    z.looseObject({
      id: z.string().regex(/^A\d\d$/, "must be A01 to A99: R01 to R99 are the tools' own"),
      check: functionLike,
    }),
  ),
})

/** The description of this checkout's service, from infra/project.ts. */
export const project = await loadProject()
