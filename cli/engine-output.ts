/** The Automation API wraps the engine's output in its own message; this is the part for people. */
export function engineOutput(message: string): string {
  const stderr = /stderr: ([\s\S]*?)(?:\n err\?:|$)/.exec(message)?.[1]?.trim()
  return withAdvice(stderr ?? message)
}

/** Adds what to do where the engine names only a variable. */
export function withAdvice(text: string): string {
  return /PULUMI_ACCESS_TOKEN must be set/.test(text)
    ? `${text}\nNo backend is logged in: run \`pulumi login\`, or set PULUMI_BACKEND_URL to where the state is.`
    : text
}
