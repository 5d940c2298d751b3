import { resolve } from "node:path"

import { Command, InvalidArgumentError, Option } from "commander"

import { Failure } from "../base/failure.ts"
import {
  defaultApiPort,
  defaultPort,
  defaultState,
  type LocalOptions,
  type StackChoice,
} from "./local-options.ts"

const project = "accounts"

/** Organization of a stack that names none. The `pulumi` command reads it from version 3.259 on. */
const variable = "PULUMI_DEFAULT_ORGANIZATION"

/** Adds `-s`: the name of a stack, with an optional organisation in Pulumi Cloud. */
export function withStack(command: Command): Command {
  const option = new Option("-s, --stack <name>", "the stack").makeOptionMandatory()
  return command.addOption(option).hook("preAction", (_, running) => chooseOrganisation(running))
}

/**
 * Moves the organisation from `-s` to an environment variable of the engine. Everything except the backend, such
 * as the stack file and resource names, uses only the last part of the name.
 * @throws Failure USAGE
 */
function chooseOrganisation(command: Command): void {
  const { stack, local } = command.opts<{ stack?: string; local?: boolean }>()
  if (stack === undefined || !stack.includes("/")) return
  const parts = stack.split("/")
  const name = parts.at(-1) ?? ""
  const [organisation = "", projectName = project] = parts.slice(0, -1)
  if (parts.length > 3 || parts.includes("")) {
    throw wrong(`-s takes stack, organisation/stack or organisation/${project}/stack.`)
  }
  if (projectName !== project) {
    throw wrong(`${stack} is a stack of the project ${projectName}, not ${project}.`)
  }
  if (local || name === "local") {
    throw wrong(`${name} is on this machine, which has no organisations: -s ${name}`)
  }
  command.setOptionValue("stack", name)
  const backend = URL.parse(process.env["PULUMI_BACKEND_URL"] ?? "")?.protocol ?? "https:"
  if (/^https?:$/.test(backend)) {
    process.env[variable] = organisation
    return
  }
  // Pulumi uses this name for the stacks of a bucket.
  if (organisation === "organization") return
  throw wrong(`A backend at ${backend} has no organisations: -s ${name}`)
}

function wrong(message: string): Failure {
  return new Failure("USAGE", message)
}

/** The flags that an action gets from the parser; an omitted flag is false. */
export type LocalFlags = LocalOptions & { json: boolean }
export type BranchFlags = StackChoice & { json: boolean }
export type StackFlags = BranchFlags & { stack: string }

/** A command that works only on this machine's environment. */
export function localCommand(name: string): Command {
  const command = new Command(name)
  for (const option of machineOptions()) command.addOption(option)
  return withCommonOptions(command)
}

/** A command on any stack, at Cloudflare or on this machine. */
export function stackCommand(name: string): Command {
  return withStack(
    placedCommand(
      name,
      "on this machine: a preview, or a trial of another stack (`local` needs no flag)",
    ),
  )
}

/** A command on previews. */
export function branchCommand(name: string): Command {
  return placedCommand(name, "previews on this machine's Cloudflare")
}

function placedCommand(name: string, local: string): Command {
  const command = withCommonOptions(new Command(name)).option("--local", local)
  const heading = "Options of this machine's Cloudflare:"
  for (const option of machineOptions()) command.addOption(option.helpGroup(heading))
  return command.hook("preAction", (_, running) => expectMeaning(running))
}

function withCommonOptions(command: Command): Command {
  return withJson(
    command.option("--engine <path>", "Pulumi engine to use instead of searching for one"),
  )
}

export function withJson(command: Command): Command {
  return command.option("--json", "print one JSON document on stdout")
}

/** Adds the options of a command that asks before it changes anything. */
export function withConfirmation(command: Command, dryRun: string): Command {
  return command.option("--dry-run", dryRun).option("-y, --yes", "do not ask for confirmation")
}

/** Sets every omitted flag to false, so that an action need not do it. */
export function fillFlags(command: Command): void {
  for (const option of command.options) {
    const name = option.attributeName()
    if (!option.isBoolean() || command.getOptionValue(name) !== undefined) continue
    command.setOptionValueWithSource(name, false, "default")
  }
}

export function stateOption(): Option {
  return new Option("--state <dir>", "directory of all local state")
    .default(defaultState, ".local")
    .argParser((path) => resolve(path))
}

function machineOptions(): Option[] {
  return [
    stateOption(),
    portOption("--port <number>", "port of the service; 0 picks a free one").default(defaultPort),
    portOption(
      "--api-port <number>",
      "port of the local Cloudflare's API; 0 picks a free one",
    ).default(defaultApiPort),
  ]
}

export function portOption(flag: string, description: string): Option {
  return new Option(flag, description).argParser(port)
}

/**
 * Refuses the port options for a stack at Cloudflare, because they apply only to the local Cloudflare.
 * @throws Failure USAGE
 */
function expectMeaning(command: Command): void {
  const { local, stack } = command.opts<{ local?: boolean; stack?: string }>()
  if (local || stack === "local") return
  for (const [key, flag] of Object.entries({ port: "--port", apiPort: "--api-port" })) {
    if (command.getOptionValueSource(key) !== "cli") continue
    throw new Failure(
      "USAGE",
      `${flag} is of this machine's Cloudflare, and ${stack ?? "this"} is at Cloudflare. Leave it out, or add --local.`,
    )
  }
}

/** Returns a parser of whole numbers for commander, which prints `message` for any other text. */
export function wholeNumber(limits: { from: number; to: number; message: string }) {
  const { from, to, message } = limits
  return (text: string): number => {
    const value = Number(text)
    if (Number.isSafeInteger(value) && value >= from && value <= to) return value
    throw new InvalidArgumentError(message)
  }
}

const port = wholeNumber({ from: 0, to: 65_535, message: "A port is a number from 0 to 65535." })
