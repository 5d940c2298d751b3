import { Failure } from "../base/failure.ts"
import { stackCommand, type StackFlags } from "./command-options.ts"
import { print } from "./output.ts"

const help = `
It looks at the stack file, at what the account has otherwise than the last up left it, at what serves, the
database, a sign-in, the certificate, the token, and the age of secrets. It changes nothing; the account that
tries to sign in is deleted again.

Exit code 0: nothing needs attention. 1: something does, or could not be looked at.
`

export const statusCommand = stackCommand("status")
  .description("say on one screen whether a deployed environment is as it should be")
  .option("--markdown", "what needs attention, for an issue")
  .addHelpText("after", help)
  .action(async ({ markdown, json, ...options }: StackFlags & { markdown: boolean }) => {
    const { examineStack } = await import("./status/examine-stack.ts")
    const { needsAttention, statusInMarkdown, statusText } =
      await import("./status/plan-findings.ts")
    const findings = await examineStack(options)
    if (json) print(JSON.stringify(findings))
    else print(markdown ? statusInMarkdown(options.stack, findings) : statusText(findings))
    const { length } = findings.filter(needsAttention)
    if (length === 0) return
    const things = length === 1 ? "One thing needs" : `${length} things need`
    throw new Failure("COMMAND_FAILED", `${things} attention in ${options.stack}.`)
  })
