import { resolve } from "node:path"

import { Command, InvalidArgumentError, Option } from "commander"

import { defaultApiPort, defaultPort, defaultState, type LocalOptions } from "./local-options.ts"

export type LocalFlags = {
  state: string
  apiPort: number
  port: number
  engine?: string
  json?: boolean
}

/** A command with the options of everything that works on this machine's state. */
export function localCommand(name: string): Command {
  return new Command(name)
    .addOption(
      new Option("--state <dir>", "directory of all local state").default(defaultState, ".local"),
    )
    .addOption(
      new Option("--port <number>", "port of the service; 0 picks a free one")
        .default(defaultPort)
        .argParser(port),
    )
    .addOption(
      new Option("--api-port <number>", "port of the local Cloudflare's API; 0 picks a free one")
        .default(defaultApiPort)
        .argParser(port),
    )
    .option("--engine <path>", "Pulumi engine to use instead of searching for one")
    .option("--json", "print one JSON document on stdout")
}

export function localOptions(flags: LocalFlags): LocalOptions & { json: boolean } {
  const { state, apiPort, port: edgePort, engine, json = false } = flags
  return { state: resolve(state), apiPort, port: edgePort, engine, json }
}

/** A parser of whole numbers for commander, which prints `message` for anything else. */
export function wholeNumber(limits: { from: number; to: number; message: string }) {
  const { from, to, message } = limits
  return (text: string): number => {
    const value = Number(text)
    if (Number.isSafeInteger(value) && value >= from && value <= to) return value
    throw new InvalidArgumentError(message)
  }
}

const port = wholeNumber({ from: 0, to: 65_535, message: "A port is a number from 0 to 65535." })
