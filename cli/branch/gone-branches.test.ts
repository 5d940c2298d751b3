import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { expect, test } from "vitest"

import { existingBranches, findGone } from "./gone-branches.ts"
import { previewStackOf } from "./preview-stack.ts"

const now = new Date("2026-03-10T12:00:00Z")

function preview(branch: string, lastUpdate?: string, updateInProgress = false) {
  return { name: previewStackOf(branch), lastUpdate, updateInProgress }
}

test("a preview goes with its branch, unless it is young or being updated", () => {
  const previews = [
    preview("main", "2020-01-01T00:00:00Z"),
    preview("feature/Login", "2020-01-01T00:00:00Z"),
    preview("merged", "2026-03-09T11:59:59Z"),
    preview("never-updated"),
    preview("not-pushed-yet", "2026-03-09T12:00:01Z"),
    preview("busy", "2020-01-01T00:00:00Z", true),
  ]
  const branches = ["main", "feature/Login"]
  expect(findGone(previews, { branches, days: 1, now })).toEqual({
    gone: ["preview-merged", "preview-never-updated"],
    kept: [
      { stack: "preview-not-pushed-yet", reason: "updated 2026-03-09T12:00:01Z" },
      { stack: "preview-busy", reason: "it is being updated" },
    ],
  })
})

/** A bare repository, as a remote. */
function createRemote() {
  const directory = mkdtempSync(join(tmpdir(), "accounts-remote-"))
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: directory, stdio: "pipe", encoding: "utf8" }).trim()
  git("init", "--bare", "--quiet")
  const name = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"]
  const tree = git("hash-object", "-t", "tree", "-w", "/dev/null")
  const commit = git(...name, "commit-tree", tree, "-m", "Start")
  return {
    directory,
    push: (branch: string) => git("update-ref", `refs/heads/${branch}`, commit),
    tag: (tag: string) => git("update-ref", `refs/tags/${tag}`, commit),
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  }
}

test("branches are those that the remote has now, and tags are none", () => {
  using remote = createRemote()
  remote.push("main")
  remote.push("feature/Login")
  remote.tag("v1")
  const branches = existingBranches({ local: false, remote: remote.directory })
  expect(branches.toSorted()).toEqual(["feature/Login", "main"])
})

test.each([
  ["has no branch", (directory: string) => directory, /has no branch at all/],
  ["does not exist", (directory: string) => `${directory}/none`, /cannot be read/],
  ["looks like an option", () => "--upload-pack=touch marker", /cannot be read/],
])("nothing is deleted when the remote %s", (_how, name, message) => {
  using remote = createRemote()
  expect(() => existingBranches({ local: false, remote: name(remote.directory) })).toThrow(message)
})
