import { runProgram } from "../../daemon/node-version.js"

await runProgram(async (argv) => {
  const { runSandbox } = await import("../sandbox.ts")
  const { mail } = await import("./mail.ts")
  await runSandbox(mail, argv)
})
