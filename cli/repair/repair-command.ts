/** The command that repairs a stack, for messages. */
export function repairCommand(stack: string, { local }: { local: boolean }): string {
  return `./accounts repair -s ${stack}${local && stack !== "local" ? " --local" : ""}`
}
