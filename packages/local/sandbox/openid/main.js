import { runProgram } from "../../daemon/node-version.js"

await runProgram(async (argv) => {
  const { runSandbox } = await import("../sandbox.ts")
  const { openid } = await import("./openid.ts")
  await runSandbox(openid, argv)
})
