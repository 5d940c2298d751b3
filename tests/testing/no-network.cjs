// Preloaded into a process that must reach nobody: every connection and every look-up fails.
const dns = require("node:dns")
const net = require("node:net")

function refuse() {
  throw Object.assign(new Error("this process has no network"), { code: "ENETUNREACH" })
}

Object.assign(net.Socket.prototype, { connect: refuse })
Object.assign(dns, { lookup: refuse })
