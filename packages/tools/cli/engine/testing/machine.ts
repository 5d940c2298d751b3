import { randomUUID } from "node:crypto"
import { mkdtempSync } from "node:fs"
import { mkdir, realpath, rm, symlink, writeFile } from "node:fs/promises"
import type { RequestListener } from "node:http"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

import { serve } from "@accounts-stack/local/daemon/testing/serve"

import type { GoTool } from "../engine.ts"
import { findOnPath } from "../executable.ts"

const realGo = await findOnPath("go", process.env)

/** A developer with Pulumi installed needs no Go; CI must have it. */
export const withoutGo = !realGo && !process.env["CI"]

/** A fake machine: its PATH contains only the commands that a test adds; it has its own home and cache. */
export function createMachine() {
  const directory = mkdtempSync(join(tmpdir(), "machine-"))
  const bin = join(directory, "bin")
  const events: (string | undefined)[] = []

  async function write(path: string, content: string, mode = 0o644) {
    const file = join(directory, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, content, { mode })
    return file
  }

  return {
    directory,
    cache: join(directory, "cache", "engine"),
    events,
    onProgress: (step?: string) => void events.push(step),
    env: {
      ...process.env,
      PATH: bin,
      HOME: join(directory, "home"),
      ACCOUNTS_CACHE: join(directory, "cache"),
      ACCOUNTS_ENGINE: "",
      PULUMI_HOME: "",
      ...goPlaces(),
    },
    write,
    script: (name: string, body: string) => write(join("bin", name), `#!/bin/sh\n${body}\n`, 0o755),
    /** Adds the Go of the real machine. */
    async installGo() {
      if (!realGo) throw new Error("This test needs Go on PATH.")
      await mkdir(bin, { recursive: true })
      await symlink(await realpath(realGo), join(bin, "go"))
    },
    /** A command that prints the version it was linked with; the nonce keeps its packages out of every cache. */
    async goTool(nonce: string = randomUUID()): Promise<GoTool> {
      await write("tool/go.mod", "module example.test/tool\n\ngo 1.21\n")
      await write("tool/one/one.go", `package one\n\nconst Nonce = "${nonce}"\n`)
      await write(
        "tool/two/two.go",
        `package two\n\nimport "example.test/tool/one"\n\nconst Nonce = one.Nonce + "2"\n`,
      )
      await write(
        "tool/main.go",
        `package main

import (
	"os"

	"example.test/tool/two"
)

var version = "dev"

func main() {
	if len(os.Args) < 2 {
		os.Stdout.WriteString(two.Nonce)
	}
	os.Stdout.WriteString(version)
}
`,
      )
      return {
        module: join(directory, "tool"),
        package: "example.test/tool",
        versionVariable: "main.version",
      }
    },
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  }
}

/** A local site in place of Pulumi's. */
export async function createSite(listener: RequestListener) {
  const { url, ...server } = await serve(listener)
  return { url: new URL(url), [Symbol.asyncDispose]: server[Symbol.asyncDispose] }
}

/** Go's caches follow HOME: in an empty one Go would compile the standard library again. */
function goPlaces() {
  const home = process.env["HOME"] ?? ""
  const cache = process.platform === "darwin" ? "Library/Caches/go-build" : ".cache/go-build"
  return {
    GOCACHE: process.env["GOCACHE"] ?? join(home, cache),
    GOPATH: process.env["GOPATH"] ?? join(home, "go"),
  }
}
