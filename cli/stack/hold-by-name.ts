import type { StackOptions } from "./deployed-stack.ts"
import { type Hold, whileHeld } from "./hold.ts"
import { openByName } from "./open-by-name.ts"

/** Opens a stack that exists, and holds it while `act` runs. @throws Failure LOCKED */
export async function holdByName<Result>(
  { message, ...options }: StackOptions & { message: string },
  act: (hold: Hold) => Promise<Result>,
): Promise<Result> {
  await using opened = await openByName(options.stack, options)
  return await whileHeld({ stack: opened.stack, message }, act)
}
