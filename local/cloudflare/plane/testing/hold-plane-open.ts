import { openPlane } from "../open-plane.ts"
import { versionSpec } from "./test-plane.ts"

/** A program that opens a plane in the directory it is given, says its pids and then just lives. */
const plane = await openPlane({ directory: process.argv[2] ?? "", onLog: () => {} })
await plane.start(versionSpec())
process.stdout.write(`${JSON.stringify(plane.processes().map(({ pid }) => pid))}\n`)
setInterval(() => {}, 60_000)
