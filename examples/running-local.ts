import { execFileSync } from "node:child_process"
import { join } from "node:path"

type Status = { pages: { service: string; frontEnd: string } }

/** Where `npm start` serves, and at which port it expects the front end. Takes `--state`, as that does. */
export function findLocal(): { api: string; port: number } {
  const command = join(import.meta.dirname, "../packages/tools/cli/main.js")
  const args = process.argv.slice(2)
  const stdout = execFileSync(process.execPath, [command, "local", "status", "--json", ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  const { pages }: Status = JSON.parse(stdout.toString())
  return { api: pages.service, port: Number(new URL(pages.frontEnd).port) }
}
