// The entry of the ordinary Pulumi CLI. Plain JavaScript, so that an old Node can read the advice.
const major = Number(process.versions.node.split(".")[0])
if (major < 24) {
  throw new Error(
    `Accounts needs Node 24 or newer and Pulumi found Node ${process.versions.node} on PATH. ` +
      `Run \`npm install\` once, then put the project's own first: export PATH="$PWD/node_modules/.bin:$PATH"`,
  )
}
const { program } = await import("./index.ts")
export default program
