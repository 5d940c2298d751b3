import { mkdir, readFile, stat, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import { join } from "node:path"

import { expect, test } from "vitest"

import { startProcess } from "../cloudflare/testing/local-cloudflare.ts"
import { listen, stopListening } from "../daemon/listen.ts"
import { temporaryDirectory } from "../daemon/testing/temporary-directory.ts"

test("the process reports that it is ready, keeps its files private and exits cleanly", async () => {
  await using directory = await temporaryDirectory()
  const started = await startProcess(directory.path)
  expect(started.line.event).toBe("ready")

  const root = join(directory.path, "cloudflare")
  const endpoint: unknown = JSON.parse(await readFile(join(root, "endpoint.json"), "utf8"))
  expect({ event: "ready", ...Object(endpoint) }).toMatchObject(started.line)
  expect((await stat(root)).mode & 0o777).toBe(0o700)
  for (const file of ["control.db", "token", "endpoint.json", "log.ndjson"]) {
    expect([file, (await stat(join(root, file))).mode & 0o777]).toEqual([file, 0o600])
  }
  const token = await readFile(join(root, "token"), "utf8")
  expect(token.length).toBeGreaterThanOrEqual(40)

  started.signal("SIGTERM")
  expect(await started.exited).toBe(0)
  expect(started.stderr()).not.toMatch(/warning/i)
  await expect(stat(join(root, "endpoint.json"))).rejects.toThrow("ENOENT")

  const restarted = await startProcess(directory.path)
  expect(await readFile(join(root, "token"), "utf8")).toBe(token)
  restarted.closeStdin()
  expect(await restarted.exited).toBe(0)
})

test("a state directory has one process; a killed one leaves nothing to clean up", async () => {
  await using directory = await temporaryDirectory()
  const first = await startProcess(directory.path)
  const second = await startProcess(directory.path)
  const { pid } = first.ready()
  expect(second.line).toMatchObject({ event: "error", code: "STATE_LOCKED", holder: pid })
  expect(JSON.stringify(second.line)).toContain(`process id ${pid}`)
  expect(await second.exited).toBe(1)

  first.signal("SIGKILL")
  await first.exited
  const successors = await Promise.all([startProcess(directory.path), startProcess(directory.path)])
  const events = successors.map(({ line }) => line.event)
  expect(events.toSorted()).toEqual(["error", "ready"])
  for (const successor of successors) successor.closeStdin()
  await Promise.all(successors.map(({ exited }) => exited))
})

test("a taken port is reported with its flag", async () => {
  await using directory = await temporaryDirectory()
  const server = createServer()
  const port = await listen(server, 0)
  for (const flag of ["--port", "--api-port", "--https-port"]) {
    const { line, exited } = await startProcess(directory.path, flag, String(port))
    expect(line).toMatchObject({ event: "error", code: "PORT_IN_USE" })
    expect("message" in line && line.message).toMatch(new RegExp(`Port ${port} .* ${flag} `))
    expect(await exited).toBe(1)
  }
  await stopListening(server)
})

test("an unreadable state is reported with the command that resets it", async () => {
  await using directory = await temporaryDirectory()
  const root = join(directory.path, "cloudflare")
  await mkdir(root)
  await writeFile(join(root, "control.db"), "not a database at all ".repeat(100))
  const { line, exited } = await startProcess(directory.path)
  expect(line).toMatchObject({ event: "error", code: "STATE_CORRUPT" })
  expect("message" in line && line.message).toContain("./accounts local reset")
  expect(await exited).toBe(1)
})

test("a wrong argument is reported with the usage", async () => {
  await using directory = await temporaryDirectory()
  for (const flags of [
    ["--port", "many"],
    ["--https-port", "x"],
    ["--frobnicate"],
    ["--port", "70000"],
  ]) {
    const { line, exited } = await startProcess(directory.path, ...flags)
    expect(line).toMatchObject({ event: "error", code: "USAGE" })
    expect(await exited).toBe(1)
  }
})
