import { AsyncLocalStorage } from "node:async_hooks"

import * as server from "@pulumi/pulumi/automation/server.js"
import * as settings from "@pulumi/pulumi/runtime/settings.js"

type Callback = (error: Error | null | undefined, response?: unknown) => void
type LanguageServer = { program: () => Promise<unknown> }
type Run = (this: LanguageServer, call: unknown, callback: Callback) => unknown

const prototype: { run: Run } = Object(Reflect.get(server, "LanguageServer")).prototype
const { run } = prototype
/** Pulumi's own modules call `terminateRpcs` through this object if a call cannot reach the engine. */
const exported: { terminateRpcs: () => void } = Object(Reflect.get(settings, "default"))
const { terminateRpcs } = exported
const runs = new AsyncLocalStorage<() => void>()

/**
 * Makes a program fail if it cannot reach its engine. Pulumi treats such a program as finished, and the engine
 * deletes what it did not declare: the whole stack if the first call is lost, one resource if the last is lost.
 * If other resources wait for the resource of a lost call, neither side ends.
 */
export function expectWholeProgram(): void {
  // By default a process keeps one connection for each address: while a program still tried to reach a previous
  // engine, the next engine at the same port could not be reached.
  Object.assign(Object(Reflect.get(settings, "grpcClientOptions")), {
    "grpc.use_local_subchannel_pool": 1,
  })
  exported.terminateRpcs = () => {
    runs.getStore()?.()
    terminateRpcs()
  }
  prototype.run = function runWhole(call, callback) {
    let isWhole = false
    let isOver = false
    const { program } = this
    this.program = async () => {
      const outputs = await program()
      isWhole = true
      return outputs
    }
    const lost = new Error("The program could not reach its engine. Run again.")
    const end: Callback = (error, response) => {
      if (!isOver) callback(error ?? (isWhole ? undefined : lost), response)
      isOver = true
    }
    const fail = () => {
      end(lost)
      // The original would tell the engine that all resources are declared.
      const signalAndWaitForShutdown = (_: unknown, done: Callback) => done(lost)
      Object.assign(settings.getMonitor() ?? {}, { signalAndWaitForShutdown })
    }
    return runs.run(fail, () => run.call(this, call, end))
  }
}
