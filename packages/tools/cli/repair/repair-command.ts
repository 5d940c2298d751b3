/** The command that repairs a stack, for messages. */
export function repairCommand(stack: string, place: { local: boolean }): string {
  return commandOn("repair", stack, place)
}

/** The command that takes over what the account has. */
export function adoptCommand(stack: string, place: { local: boolean }): string {
  return commandOn("adopt", stack, place)
}

function commandOn(verb: string, stack: string, { local }: { local: boolean }): string {
  return `./accounts ${verb} -s ${stack}${local && stack !== "local" ? " --local" : ""}`
}
