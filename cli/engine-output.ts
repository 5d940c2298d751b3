/** The Automation API wraps the engine's output in its own message; this is the part for people. */
export function engineOutput(message: string): string {
  const stderr = /stderr: ([\s\S]*?)(?:\n err\?:|$)/.exec(message)?.[1]?.trim()
  return stderr ?? message
}
