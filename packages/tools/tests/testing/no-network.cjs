// Preloaded into a process that must reach nobody: every connection and every look-up fails.
const dns = require("node:dns")
const net = require("node:net")

function unreachable() {
  return Object.assign(new Error("this process has no network"), { code: "ENETUNREACH" })
}

/** @this {net.Socket} */
function connect() {
  process.nextTick(() => this.destroy(unreachable()))
  return this
}

function lookup() {
  throw unreachable()
}

Object.assign(net.Socket.prototype, { connect })
Object.assign(dns, { lookup })
