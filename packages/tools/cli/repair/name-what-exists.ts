import { Failure, isFailure, messageOf } from "../../base/failure.ts"
import { exportState } from "../stack/stored-state.ts"
import { adoptCommand, repairCommand } from "./repair-command.ts"
import { type AccountSite, doubtsAbout, findMissing } from "./repair-state.ts"

/**
 * Runs an `up`, and says of one that failed what the account has under the stack's names and its state has
 * not. A creation whose answer is lost is sent again by Cloudflare's provider, refused because what it made
 * exists, and so neither in state nor pending there; every further `up` would be refused alike.
 */
export async function nameWhatExists<Result>(
  site: AccountSite,
  { local, signal }: { local: boolean; signal?: AbortSignal },
  act: () => Promise<Result>,
): Promise<Result> {
  try {
    return await act()
  } catch (error) {
    if (!isFailure(error, "COMMAND_FAILED") || signal?.aborted === true) throw error
    // What failed is told in any case.
    const existing = await describe(site, local).catch(() => [])
    const repair = repairCommand(site.project.stack, { local })
    // By the stand-in, and by the official provider.
    const policy = /code"?: ?100342/.test(messageOf(error.cause))
    const text = [
      error.message,
      ...existing,
      ...(policy
        ? [`The state has a propagationPolicy that nobody has set. It goes with: ${repair}`]
        : []),
    ]
    throw new Failure("COMMAND_FAILED", text.join("\n"), { cause: error.cause })
  }
}

async function describe(site: AccountSite, local: boolean): Promise<string[]> {
  const { stack } = site.project
  const before = await exportState(site)
  const { missing } = await findMissing(site, before)
  const doubtful = await doubtsAbout(missing, { site, before })
  const doubts = new Map(doubtful.map(({ namesake, doubt }) => [namesake, doubt]))
  const lines = missing.map(
    (one) => `  ${one.label}: ${doubts.get(one) ?? "made by a run of this stack, by all signs"}`,
  )
  const repair = repairCommand(stack, { local })
  const adopt = adoptCommand(stack, { local })
  return [
    ...(lines.length > 0
      ? ["The account has this already, and the stack's state does not:", ...lines]
      : []),
    ...(doubts.size < missing.length ? [`What is of this stack's runs, take in: ${repair}`] : []),
    ...(doubts.size > 0
      ? [
          `What is the stack's own all the same, take over: ${adopt}. Otherwise set accounts:name to a name that is free.`,
        ]
      : []),
  ]
}
