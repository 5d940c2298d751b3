import { openPlane } from "../open-plane.ts"
import { versionSpec } from "./test-plane.ts"

/** Opens a plane in the directory of its first argument, prints the pids and keeps running. */
const plane = await openPlane({ directory: process.argv[2] ?? "", onLog: () => {} })
await plane.start(versionSpec())
process.stdout.write(`${JSON.stringify(plane.processes().map(({ pid }) => pid))}\n`)
setInterval(() => {}, 60_000)
