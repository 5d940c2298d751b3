import { runProgram } from "../daemon/node-version.js"

await runProgram(async (argv) => {
  const { main } = await import("./main.ts")
  await main(argv)
})
