import { runProgram } from "../../daemon/node-version.js"

await runProgram(async (argv) => {
  const { runSandbox } = await import("../sandbox.ts")
  const { checks } = await import("./checks.ts")
  await runSandbox(checks, argv)
})
