import { Command } from "commander"

import { print, say } from "../../output.ts"

export const environmentRenderCommand = new Command("render")
  .description("write <stack>.effective.yaml: what each environment is, for reviewers")
  .option("--directory <dir>", "folder of the stack files", "environments")
  .option("--json", "print one JSON document on stdout")
  .action(async ({ directory, json = false }: { directory: string; json?: boolean }) => {
    const { writeFileSync } = await import("node:fs")
    const { renderEnvironments } = await import("../../../infra/environment/effective/rendered.ts")
    const { expectStackFiles } = await import("../../environment/expect-stack-files.ts")
    expectStackFiles(directory)
    const written: string[] = []
    for (const { path, text, committed } of await renderEnvironments(directory)) {
      if (text === undefined) {
        say(`${path} is not rendered: its stack file cannot be read (./accounts environment check)`)
        continue
      }
      if (text === committed) continue
      writeFileSync(path, text)
      written.push(path)
    }
    if (json) return print(JSON.stringify({ written }))
    say(written.length === 0 ? "Nothing has changed." : `Written: ${written.join(", ")}`)
  })
