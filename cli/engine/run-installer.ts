import { PulumiCommand } from "@pulumi/pulumi/automation/index.js"
import { SemVer } from "semver"

import { messageOf } from "../../failure.ts"

/**
 * Runs Pulumi's own installer: `node run-installer.ts ROOT VERSION`. It is a process, because the
 * installer itself takes no signal and no timeout.
 */
const [root, version] = process.argv.slice(2)
if (!root || !version) throw new Error("Usage: node run-installer.ts ROOT VERSION")

try {
  await PulumiCommand.install({ root, version: new SemVer(version) })
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`)
  process.exitCode = 1
}
