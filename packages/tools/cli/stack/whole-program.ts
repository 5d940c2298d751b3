import { AsyncLocalStorage } from "node:async_hooks"

import * as server from "@pulumi/pulumi/automation/server.js"
import * as settings from "@pulumi/pulumi/runtime/settings.js"

type Callback = (error: Error | null | undefined, response?: unknown) => void
type LanguageServer = { program: () => Promise<unknown> }
type Run = (this: LanguageServer, call: unknown, callback: Callback) => unknown

const prototype: { run: Run } = Object(Reflect.get(server, "LanguageServer")).prototype
const { run } = prototype
/** Through this object Pulumi's own modules call it, where a call has found no engine. */
const exported: { terminateRpcs: () => void } = Object(Reflect.get(settings, "default"))
const { terminateRpcs } = exported
const runs = new AsyncLocalStorage<() => void>()

/**
 * Pulumi takes a program that could not reach its engine for one that has ended, and the engine deletes what
 * it did not declare: where the first call is lost the whole stack, where the last one is lost that resource.
 * Where others wait for the resource of a lost call, neither ends. Here all of these have failed.
 */
export function expectWholeProgram(): void {
  // By itself a process has one connection for each address and never closes it: where a program still tried to
  // reach an engine that had gone, the next engine at this port was not reachable either.
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
      // It would tell the engine that all is declared.
      const signalAndWaitForShutdown = (_: unknown, done: Callback) => done(lost)
      Object.assign(settings.getMonitor() ?? {}, { signalAndWaitForShutdown })
    }
    return runs.run(fail, () => run.call(this, call, end))
  }
}
