import process from "node:process"

const needed = 24
const major = Number(process.versions.node.split(".")[0])

if (major < needed) {
  const message = `This needs Node ${needed} or newer, not ${process.versions.node}. Run \`npm install\` and start it with \`node_modules/.bin/node\``
  process.stdout.write(`${JSON.stringify({ event: "error", code: "NODE_VERSION", message })}\n`)
  process.exitCode = 1
} else {
  const { runEnd } = await import("../process.ts")
  const { payment } = await import("./payment.ts")
  await runEnd(payment, process.argv.slice(2))
}
