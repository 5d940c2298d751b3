import { Failure, isFailure, messageOf } from "../base/failure.ts"

/** Formats an error; only an unexpected error has its stack trace. */
export function describeError(error: unknown): string {
  if (error instanceof Failure) return error.message
  if (!(error instanceof Error)) return messageOf(error)
  // The engine's own message explains a refusal, for example that no backend is logged in.
  if ("commandResult" in error) return engineOutput(error.message)
  return error.stack ?? error.message
}

/** Returns 2 for wrong usage, 130 (a shell's code for Ctrl-C) if interrupted, otherwise 1. */
export function exitCodeOf(error: unknown): 1 | 2 | 130 {
  if (isFailure(error, "USAGE")) return 2
  return isFailure(error, "INTERRUPTED") ? 130 : 1
}

/** Extracts the engine's output, which the Automation API wraps in its own message. */
export function engineOutput(message: string): string {
  const stderr = /stderr: ([\s\S]*?)(?:\n err\?:|$)/.exec(message)?.[1]?.trim()
  return withAdvice(stderr ?? message)
}

/** Adds advice to engine messages that only say what is missing. */
export function withAdvice(text: string): string {
  const [, stack] = /no stack named '([^']+)' found/.exec(text) ?? []
  const advice = [
    ...(/PULUMI_ACCESS_TOKEN must be set/.test(text)
      ? [
          "No backend is logged in: run `pulumi login`, or set PULUMI_BACKEND_URL to where the state is.",
        ]
      : []),
    ...(stack === undefined
      ? []
      : [
          `Create it: pulumi stack init ${stack}. If it exists, this is another backend or organisation than its own: PULUMI_BACKEND_URL or \`pulumi login\`; in Pulumi Cloud -s organisation/${stack}, or \`pulumi org set-default\`.`,
        ]),
    ...(/\/local\/key-service\//.test(text)
      ? [
          "The local Cloudflare has the key of this stack: start it with npm start. If it runs, it is older than this checkout: stop it first.",
        ]
      : []),
    ...(/^(?:error: )?unexpected end of JSON input$/m.test(text)
      ? [
          "A file of the backend is empty or damaged: if it is a lock, ./accounts repair --unlock removes it.",
        ]
      : []),
  ]
  return [text, ...advice].join("\n")
}
