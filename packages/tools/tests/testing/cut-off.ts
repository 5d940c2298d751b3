import { spawnSync } from "node:child_process"
import { join } from "node:path"

/** Cuts off the network: in the kernel if allowed, including loopback; otherwise by a Node that connects to nothing. */
export function cutOff(): { how: string; within: string[]; environment: Record<string, string> } {
  const flags = ["--map-root-user", "--net"]
  if (spawnSync("unshare", [...flags, "true"]).status === 0) {
    return { how: "by unshare", within: ["unshare", ...flags], environment: {} }
  }
  const preload = join(import.meta.dirname, "no-network.cjs")
  const environment = { NODE_OPTIONS: `--require=${preload}` }
  return { how: "by a preload of Node", within: [], environment }
}
