import { execFileSync } from "node:child_process"

import { root } from "../../base/root.ts"

const second = 1000

/** When each sealed value of a stack file was committed, by its key's path; a new seal is a new line. */
export function sealedAt(file: string): Map<string, Date> {
  const git = (...args: string[]) => execFileSync("git", args, { cwd: root, encoding: "utf8" })
  if (git("rev-parse", "--is-shallow-repository").trim() === "true") {
    throw new Error("the checkout has no history: fetch it with git fetch --unshallow")
  }
  const found = new Map<string, Date>()
  let [time, key] = [0, ""]
  for (const line of git("blame", "--line-porcelain", "--", file).split("\n")) {
    time = Number(/^committer-time (\d+)$/.exec(line)?.[1] ?? time)
    const [, name, inline] = /^\t +"?([\w:.-]+)"?:(.*)$/.exec(line) ?? []
    if (name !== undefined && name !== "secure") key = name
    if (name === "secure" || inline?.includes("secure:")) found.set(key, new Date(time * second))
  }
  return found
}
