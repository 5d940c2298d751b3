import { runProgram } from "../../daemon/node-version.js"

await runProgram(async (argv) => {
  const { runSandbox } = await import("../sandbox.ts")
  const { payment } = await import("./payment.ts")
  await runSandbox(payment, argv)
})
