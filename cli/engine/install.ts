import { PulumiCommand } from "@pulumi/pulumi/automation/index.js"
import { SemVer } from "semver"

/**
 * Pulumi's own installer, as a process: `node install.ts ROOT VERSION`. It can neither be
 * interrupted nor limited in time from inside the process that calls it.
 */
const [root, version] = process.argv.slice(2)
if (!root || !version) throw new Error("Usage: node install.ts ROOT VERSION")

try {
  await PulumiCommand.install({ root, version: new SemVer(version) })
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
