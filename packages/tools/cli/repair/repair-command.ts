import { nextCommand } from "../next-command.ts"

/** The command that repairs a stack, for messages. */
export function repairCommand(stack: string, place: { local: boolean }): string {
  return nextCommand("repair", { stack, ...place })
}

/** The command that takes over what the account has. */
export function adoptCommand(stack: string, place: { local: boolean }): string {
  return nextCommand("adopt", { stack, ...place })
}
