import { Command } from "commander"

import { counted } from "../../../base/counted.ts"
import { Failure, messageOf } from "../../../base/failure.ts"
import { print, say } from "../../output.ts"
import { withStack } from "../../stack-option.ts"

type Flags = { stack?: string; directory: string; engine?: string; json?: boolean }

const oneStack = { description: "one stack; without it all of them", mandatory: false }

export const secretDoctorCommand = withStack(new Command("doctor"), oneStack)
  .description("say which secrets are missing, too many, weak, in clear, or used twice")
  .option("--directory <dir>", "folder of the stack files", "environments")
  .option("--engine <path>", "Pulumi engine to use instead of searching for one")
  .option("--json", "print one JSON document on stdout")
  .action(async ({ stack, directory, engine: path, json = false }: Flags) => {
    const { examineSecrets } = await import("../../secret/examine-secrets.ts")
    const { describeExamination } = await import("../../secret/describe-secrets.ts")
    const { findSecretStack } = await import("../../secret/secret-stack.ts")
    const { callersEngine } = await import("../../stack/engine.ts")
    const { expectStackFiles } = await import("../../environment/expect-stack-files.ts")
    expectStackFiles(directory)
    if (stack !== undefined) findSecretStack({ stack, directory })
    const engine = await callersEngine(path).catch((error: unknown) => say(messageOf(error)))
    const found = await examineSecrets({
      directory,
      stack,
      engine: engine ?? undefined,
      now: new Date(),
    })
    print(json ? JSON.stringify(found) : describeExamination(found))
    const { length } = found.findings
    if (length === 0) return
    throw new Failure("COMMAND_FAILED", `${directory}: ${counted(length, "finding")}.`)
  })
