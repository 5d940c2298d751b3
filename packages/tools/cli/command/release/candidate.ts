import { Command } from "commander"

import { print } from "../../output.ts"

const help = `
Needs neither keys nor an account. The workflow of staging writes it once its deployment is verified, and
that of production releases nothing else: it takes the commit from there, and compares what it builds.
`

export const releaseCandidateCommand = new Command("candidate")
  .description("say as JSON what this commit releases: bundle, migrations, bindings, flags")
  .option("--expect <file>", "exit with code 1 unless the content is that of this file")
  .addHelpText("after", help)
  .action(async ({ expect: file }: { expect?: string }) => {
    const { expectSame, readCandidate } = await import("../../release/candidate.ts")
    const candidate = await readCandidate()
    if (file !== undefined) expectSame(file, candidate)
    print(JSON.stringify(candidate))
  })
