import { localCommand, localOptions, type LocalFlags } from "../../command-options.ts"
import { print, say } from "../../output.ts"

export const previewListCommand = localCommand("list")
  .description("list the previews")
  .option("--local", "list those on this machine's Cloudflare")
  .action(async ({ local = false, ...flags }: LocalFlags & { local?: boolean }) => {
    const { listPreviews } = await import("../../stack/preview-stack.ts")
    const { json, ...options } = localOptions(flags)
    const previews = await listPreviews({ ...options, local })
    if (json) return print(JSON.stringify(previews))
    if (previews.length === 0) say("No previews.")
    for (const { name, lastUpdate } of previews) print(`${name}  ${lastUpdate ?? "never updated"}`)
  })
