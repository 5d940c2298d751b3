import * as z from "zod"

/** A command as the wrangler process reads it: one line of JSON. */
export const Command = z.strictObject({
  cwd: z.string(),
  env: z.record(z.string(), z.string().optional()),
  args: z.array(z.string()),
  stdin: z.string(),
})
export type Command = z.infer<typeof Command>

/** Ends what a command writes to stdout and stderr; its exit code follows, and a line break. */
export const endOfCommand = "\u0000ended "

/** Milliseconds after which its process ends; a command takes a second, and far longer on a busy machine. */
export const commandTimeout = 300_000
