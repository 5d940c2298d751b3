// Entry point of the ordinary Pulumi CLI. Plain JavaScript, so that an old Node can print the advice.
import { join } from "node:path"

import { isNodeTooOld, neededNode } from "@accounts-stack/tools/node-version"

if (isNodeTooOld()) {
  process.stderr.write(
    `Accounts needs ${neededNode} and Pulumi found Node ${process.versions.node} on PATH. ` +
      `Run \`npm install\` once, then put the project's own first: export PATH="$PWD/node_modules/.bin:$PATH"\n`,
  )
  // Tells Pulumi's language host that the error was reported. Other codes add a stack trace.
  process.exit(32)
}
// The program of a generated project runs in that project's folder.
process.env["ACCOUNTS_ROOT"] = join(import.meta.dirname, "..")
const { default: settings } = await import("@pulumi/pulumi/runtime/settings.js")
// If a call cannot reach the engine, Pulumi ends the program with success, and the engine deletes the rest.
Object.assign(settings, {
  terminateRpcs() {
    process.stderr.write("The program could not reach its engine. Run again.\n")
    process.exit(32)
  },
})
export default await loadProgram()

async function loadProgram() {
  try {
    return (await import("./index.ts")).program
  } catch (error) {
    // A mistake that the user can correct, for example in project.ts.
    if (!(error instanceof Error) || error.name !== "Failure") throw error
    process.stderr.write(`${error.message}\n`)
    return process.exit(32)
  }
}
