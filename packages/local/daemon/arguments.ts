import { parseArgs } from "node:util"

import * as z from "zod"

import { ProcessStartError } from "./process-start-error.ts"

/** 0 takes any free port. */
export const Port = z.coerce.number().int().min(0).max(65_535)

/** The arguments of every local process. */
export const commonArguments = {
  state: z.string().min(1),
  "exit-with-parent": z.boolean().default(false),
}

/** @throws ProcessStartError USAGE, which ends with `usage` */
export function parseArguments<Arguments extends z.ZodObject<typeof commonArguments>>(
  schema: Arguments,
  { argv, usage }: { argv: string[]; usage: string },
): z.infer<Arguments> {
  const options = Object.keys(schema.shape).map((name) => [
    name,
    { type: name === "exit-with-parent" ? "boolean" : "string" } as const,
  ])
  try {
    const { values } = parseArgs({ args: argv, options: Object.fromEntries(options) })
    return schema.parse(values)
  } catch (cause) {
    throw new ProcessStartError("USAGE", `${reasonOf(cause)}; usage: ${usage}`, { cause })
  }
}

function reasonOf(cause: unknown): string {
  if (cause instanceof z.ZodError) return describeIssues(cause, "--")
  return cause instanceof Error ? cause.message : String(cause)
}

/** Every problem of an input in one line, each after the path of its field. */
export function describeIssues(error: z.ZodError, prefix = ""): string {
  return error.issues
    .map(({ path, message }) =>
      path.length === 0 ? message : `${prefix}${path.join(".")}: ${message}`,
    )
    .join("; ")
}
