#!/usr/bin/env node
// Plain JavaScript that imports nothing before the check: an old Node must be able to load this file.
const { node } = process.versions
const [major = 0, minor = 0] = node.split(".").map(Number)

/** As `engines` of the package says: those with `deserialize` of node:sqlite, which all judgement needs. */
const isNewEnough = major === 24 ? minor >= 16 : major > 26 || (major === 26 && minor >= 1)

if (isNewEnough) await import("./command/main.ts")
else {
  process.stderr.write(
    `d1-migrations needs Node 24.16, or 26.1 or newer, and this is Node ${node}. In a project: npm install --save-dev node@24, which puts that one first for npx and npm scripts.\n`,
  )
  process.exitCode = 1
}
