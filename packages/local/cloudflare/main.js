import { runProgram } from "../daemon/node-version.js"

await runProgram(async (argv) => {
  const { main } = await import("./program.ts")
  await main(argv)
})
