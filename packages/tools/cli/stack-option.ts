import { type Command, Option } from "commander"

import { Failure } from "../base/failure.ts"

const project = "accounts"

/** Of a stack without one; also of the `pulumi` command, from 3.259 on. */
const variable = "PULUMI_DEFAULT_ORGANIZATION"

/** Adds `-s`: the name of a stack, in Pulumi Cloud also with its organisation. */
export function withStack(
  command: Command,
  { description = "the stack", mandatory = true } = {},
): Command {
  const option = new Option("-s, --stack <name>", description).makeOptionMandatory(mandatory)
  return command.addOption(option).hook("preAction", (_, running) => chooseOrganisation(running))
}

/**
 * Everything but the backend knows a stack by its last part, as Pulumi itself does: its file, the
 * resources' names. So the organisation goes to the engine beside it.
 * @throws Failure USAGE
 */
function chooseOrganisation(command: Command): void {
  const { stack, local } = command.opts<{ stack?: string; local?: boolean }>()
  if (stack === undefined || !stack.includes("/")) return
  const parts = stack.split("/")
  const name = parts.at(-1) ?? ""
  const [organisation = "", named = project] = parts.slice(0, -1)
  if (parts.length > 3 || parts.includes("")) {
    throw wrong(`-s takes stack, organisation/stack or organisation/${project}/stack.`)
  }
  if (named !== project) throw wrong(`${stack} is a stack of the project ${named}, not ${project}.`)
  if (local || name === "local") {
    throw wrong(`${name} is on this machine, which has no organisations: -s ${name}`)
  }
  command.setOptionValue("stack", name)
  const backend = URL.parse(process.env["PULUMI_BACKEND_URL"] ?? "")?.protocol ?? "https:"
  if (/^https?:$/.test(backend)) {
    process.env[variable] = organisation
    return
  }
  // The one that Pulumi writes before the stacks of a bucket.
  if (organisation === "organization") return
  throw wrong(`A backend at ${backend} has no organisations: -s ${name}`)
}

function wrong(message: string): Failure {
  return new Failure("USAGE", message)
}
