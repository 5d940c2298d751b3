import * as server from "@pulumi/pulumi/automation/server.js"

type Callback = (error: Error | null | undefined, response?: unknown) => void
type LanguageServer = { program: () => Promise<unknown> }
type Run = (this: LanguageServer, call: unknown, callback: Callback) => unknown

const prototype: { run: Run } = Object(Reflect.get(server, "LanguageServer")).prototype
const { run } = prototype

/**
 * Pulumi takes a program that could not reach its engine for one that has ended and declares nothing, and
 * the engine deletes the stack: the database, too, where nothing is protected. Here it has failed.
 */
export function expectWholeProgram(): void {
  prototype.run = function runWhole(call, callback) {
    let isWhole = false
    const { program } = this
    this.program = async () => {
      const outputs = await program()
      isWhole = true
      return outputs
    }
    const lost = new Error("The program could not reach its engine. Run again.")
    return run.call(this, call, (error, response) =>
      error || isWhole ? callback(error, response) : callback(lost),
    )
  }
}
