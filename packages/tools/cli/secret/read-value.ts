import { createInterface } from "node:readline"
import { Writable } from "node:stream"
import { text } from "node:stream/consumers"

import { Failure } from "../../base/failure.ts"
import { canAsk } from "../confirm.ts"

/** Reads a value that nobody sees: from a pipe, or typed at a prompt that does not show it. */
export async function readValue(name: string): Promise<string> {
  const given = process.stdin.isTTY ? await ask(name) : await text(process.stdin)
  return given.replace(/\r?\n$/, "")
}

async function ask(name: string): Promise<string> {
  if (!canAsk()) throw new Failure("USAGE", `There is no value of ${name}: pipe it in.`)
  process.stderr.write(`Value of ${name}, which is not shown: `)
  // What is typed is echoed into nothing.
  const output = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({ input: process.stdin, output, terminal: true })
  try {
    return await new Promise((resolve, reject) => {
      const stop = () => reject(new Failure("INTERRUPTED", "Nothing was changed."))
      terminal.once("line", resolve).once("SIGINT", stop).once("close", stop)
    })
  } finally {
    terminal.close()
    process.stderr.write("\n")
  }
}
