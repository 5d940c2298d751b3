import { Failure } from "../../base/failure.ts"
import { say } from "../output.ts"

// What cannot be loaded is told by Node, with file and line, unless its message says everything.
try {
  await import("./forked-deployer-main.ts")
} catch (error) {
  if (!(error instanceof Failure)) throw error
  say(error.message)
  process.exit(1)
}
