import { spawnSync } from "node:child_process"
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  cpSync,
  symlinkSync,
} from "node:fs"
import { join } from "node:path"

import { Failure } from "../../base/failure.ts"
import { root } from "../../base/root.ts"
import { say } from "../output.ts"
import { git, shortName } from "./branch-name.ts"

/** Of the project's own packages, which npm links to their folders. */
const scope = "@accounts-stack"

/** Gives another checkout what is installed in this one; the project's own packages are those that lie there. */
export function linkPackages(from: string, to: string): void {
  const [installed, linked] = [join(from, "node_modules"), join(to, "node_modules")]
  mkdirSync(linked)
  for (const name of readdirSync(installed).filter((one) => one !== scope)) {
    symlinkSync(join(installed, name), join(linked, name))
  }
  cpSync(join(installed, scope), join(linked, scope), { recursive: true, verbatimSymlinks: true })
}

/**
 * Runs `./accounts` as a branch has it, on the branch's own files: in a worktree, which is removed again.
 * @returns the exit code
 * @throws Failure if this clone has no such branch, or its packages are others than those installed here
 */
export function runOnBranch(
  branch: string,
  { state, args }: { state: string; args: string[] },
): number {
  const commit = commitOf(branch)
  // A name that nobody gives a folder of their own.
  const parent = join(state, "branch-up")
  mkdirSync(parent, { recursive: true })
  removeLeftovers(parent)
  const directory = mkdtempSync(join(parent, `${shortName(branch)}-`))
  git("worktree", "add", "--quiet", "--detach", directory, commit)
  try {
    expectSamePackages(directory, branch)
    linkPackages(root, directory)
    say(`This deploys ${branch} as it is at ${commit.slice(0, 10)}, not what is checked out here.`)
    const env = { ...process.env, GITHUB_HEAD_REF: branch, ACCOUNTS_ROOT: directory }
    const main = join(directory, "packages", "tools", "cli", "main.js")
    const { status } = spawnSync(process.execPath, [main, ...args], { stdio: "inherit", env })
    return status ?? 1
  } finally {
    git("worktree", "remove", "--force", directory)
  }
}

/** Of killed runs: no other lasts a day. Whether its process lives says nothing, since a kill may spare the child. */
function removeLeftovers(parent: string): void {
  const yesterday = Date.now() - 24 * 60 * 60 * 1000
  for (const name of readdirSync(parent)) {
    const directory = join(parent, name)
    if ((statSync(directory, { throwIfNoEntry: false })?.mtimeMs ?? Infinity) > yesterday) continue
    // First, since git refuses to remove one that was killed while it was made.
    rmSync(directory, { recursive: true, force: true })
    try {
      git("worktree", "remove", "--force", "--force", directory)
    } catch {
      // No worktree yet, or removed by another run just now.
    }
  }
}

/**
 * The clone's own branch comes before those of remotes. Its code runs with the keys of whoever asks, so nothing
 * stands for the name but that name, and no remote for another.
 */
function commitOf(branch: string): string {
  const format = "--format=%(objectname) %(refname)"
  // Git takes a name for the folder of others, too.
  const listed = git("for-each-ref", format, `refs/heads/${branch}`, `refs/remotes/*/${branch}`)
  const refs = listed.split("\n").map((line) => {
    const [, commit = "", place = "", name] =
      /^(\w+) refs\/(heads|remotes\/[^/]+)\/(.+)$/.exec(line) ?? []
    return { commit, place, name }
  })
  const named = refs.filter(({ name }) => name === branch)
  const own = named.filter(({ place }) => place === "heads")
  const [found, ...more] = own.length > 0 ? own : named
  const other = more.find(({ commit }) => commit !== found?.commit)
  if (found === undefined) {
    const message = `This clone has no branch ${branch}. Fetch it, or check out what its preview is to be, under that name.`
    throw new Failure("USAGE", message)
  }
  if (other === undefined) return found.commit
  const places = [found, other].map(({ place }) => `${place.replace("remotes/", "")}/${branch}`)
  const message = `${places.join(" and ")} are not the same. Check out the one whose preview it is to be, under that name.`
  throw new Failure("USAGE", message)
}

/** @throws Failure where the branch has other packages */
function expectSamePackages(directory: string, branch: string): void {
  const lock = (place: string) => readFileSync(join(place, "package-lock.json"), "utf8")
  if (lock(directory) === lock(root)) return
  const message = `${branch} has other packages than those installed here. Deploy it where it is checked out, after npm ci.`
  throw new Failure("USAGE", message)
}
