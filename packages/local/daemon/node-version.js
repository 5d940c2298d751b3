// Plain JavaScript without dependencies: an old Node must be able to load this file.
import process from "node:process"

/** The first release with SQLite's authorizer. */
const oldest = [24, 10]

/** Says what to do about this Node; `undefined` when it is new enough. */
export function nodeVersionProblem() {
  const { node: version } = process.versions
  const [major = 0, minor = 0] = version.split(".").map(Number)
  const [oldestMajor = 0, oldestMinor = 0] = oldest
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return undefined
  return `Node ${oldest.join(".")} or newer is required, and this is Node ${version}. Run \`npm install\`, then put the project's own Node first: export PATH="$PWD/node_modules/.bin:$PATH"`
}

/**
 * Runs a local program, or reports on stdout that this Node is too old for it.
 *
 * @param {(argv: string[]) => Promise<void>} program
 */
export async function runProgram(program) {
  const message = nodeVersionProblem()
  if (message === undefined) return program(process.argv.slice(2))
  process.stdout.write(`${JSON.stringify({ event: "error", code: "NODE_VERSION", message })}\n`)
  process.exitCode = 1
}
