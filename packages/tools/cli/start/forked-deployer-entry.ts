import { Failure } from "../../base/failure.ts"
import { say } from "../output.ts"

// Node reports a module that cannot be loaded, with file and line, unless its message says everything.
try {
  await import("./forked-deployer-main.ts")
} catch (error) {
  if (!(error instanceof Failure)) throw error
  say(error.message)
  process.exit(1)
}
