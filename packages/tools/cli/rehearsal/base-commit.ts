import { execFileSync } from "node:child_process"
import { mkdtempDisposableSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

import { type Migration, nameProblem, notesName } from "@accounts-stack/d1-migrations/files"

import { Failure } from "../../base/failure.ts"
import { root as checkout } from "../../base/root.ts"
import { tablesInUse } from "../../deploy/build/tables-in-use.ts"
import type { SchemaUse } from "../../deploy/version/schema-use.ts"
import { parseMigration } from "../../environment/own-names.ts"

export type BaseCommit = {
  sha: string
  /** Its migrations, in order. */
  migrations: Migration[]
}

/** The command's option that names the base. */
type BaseOption = "--from" | "--base"

/** Files and folders that are read from a base. */
const contents = [
  ...["", ".github/", "docs/"].map((folder) => `${folder}CODEOWNERS`),
  "app/service/openapi/openapi.json",
  "docs/bundle.md",
  "docs/routes.json",
  "environments/",
  "migrations/",
  "package-lock.json",
]

/**
 * Reads files of the commit that the branch and `name` have in common, without uncommitted changes.
 * @throws USAGE with what to fetch
 */
export function openBase(root: string, name: string, option: BaseOption) {
  const sha = findCommit(root, name, option)
  const files = readFiles(root, sha)
  return {
    sha,
    /** Returns undefined if the commit has no such file. */
    read: (path: string) => files.get(path),
    files,
    /** The files of `environments` or `migrations`. */
    list: (directory: string) => [...files.keys()].filter((path) => dirname(path) === directory),
  }
}

/** Reads the files by path. Two git processes read all of them, instead of one for each file. */
function readFiles(root: string, sha: string): Map<string, Buffer> {
  const listed = git(root, ["ls-tree", "-r", "-z", "--full-tree", sha, "--", ...contents])
  const blobs = listed
    .toString()
    .split("\0")
    .flatMap((entry) => {
      const [, id = "", path = ""] = /^\d+ blob (\w+)\t([^]+)$/.exec(entry) ?? []
      return path === "" ? [] : [{ id, path }]
    })
  const input = blobs.map(({ id }) => `${id}\n`).join("")
  const output = git(root, ["cat-file", "--batch"], input)
  let offset = 0
  const files = new Map<string, Buffer>()
  for (const { path } of blobs) {
    // "<id> blob <bytes>", the content, a line break; or "<id> missing".
    const begin = output.indexOf("\n", offset) + 1
    const [, bytes] = / blob (\d+)\n$/.exec(output.toString("latin1", offset, begin)) ?? []
    if (bytes === undefined) throw incomplete(path, sha)
    const end = begin + Number(bytes)
    files.set(path, output.subarray(begin, end))
    offset = end + 1
  }
  return files
}

function incomplete(path: string, sha: string): Failure {
  const message = `this clone lacks ${path} of commit ${sha.slice(0, 12)}: git fsck says what else is damaged. Clone it again.`
  return new Failure("USAGE", message)
}

/** Reads the committed migrations of the base. @throws USAGE with what to fetch */
export function readBaseCommit(
  root: string,
  name: string,
  option: BaseOption = "--from",
): BaseCommit {
  const { sha, list, read } = openBase(root, name, option)
  const names = list("migrations")
    .map((path) => path.replace(/^migrations\//, ""))
    .filter((path) => path.endsWith(".sql"))
    .toSorted()
  const problem = names.length === 0 ? undefined : nameProblem(names)
  if (problem !== undefined) {
    throw new Failure("COMMAND_FAILED", `migrations/ at ${name} (${sha.slice(0, 12)}): ${problem}`)
  }
  const migrations = names.map((file) =>
    parseMigration(
      file,
      read(`migrations/${file}`) ?? Buffer.of(),
      read(`migrations/${notesName(file)}`)?.toString(),
    ),
  )
  return { sha, migrations }
}

function findCommit(root: string, name: string, option: BaseOption): string {
  const common = trial(root, "merge-base", "--", name, "HEAD")
  if (common !== undefined) return common.toString().trim()
  if (!succeeds(root, "rev-parse", "--git-dir")) {
    throw new Failure("USAGE", `${root} is no git repository, so no base can be read: clone it.`)
  }
  if (git(root, ["rev-parse", "--is-shallow-repository"]).toString().trim() === "true") {
    const message = `this clone is shallow, so the commit that the branch and ${name} have in common is not in it. Fetch the whole history: git fetch --unshallow origin, or fetch-depth: 0 for actions/checkout.`
    throw new Failure("USAGE", message)
  }
  const isRef = succeeds(root, "rev-parse", "--verify", "--quiet", `${name}^{commit}`)
  const problem = isRef ? "has no commit in common with this branch" : "is no commit of this clone"
  throw new Failure(
    "USAGE",
    `${name} ${problem}: fetch it (git fetch origin), or name another commit with ${option}, such as origin/main.`,
  )
}

/** Writes the files of a commit to an empty directory; neither index nor work tree change. */
export function checkOutInto(root: string, sha: string, directory: string): void {
  const environment = { ...process.env, GIT_INDEX_FILE: `${directory}.index` }
  const run = (...args: string[]) =>
    execFileSync("git", args, { cwd: root, env: environment, stdio: "pipe" })
  run("read-tree", sha)
  run("checkout-index", "--all", `--prefix=${directory}/`)
}

function git(cwd: string, args: string[], input = ""): Buffer {
  return execFileSync("git", args, { cwd, input, stdio: "pipe", maxBuffer: 64_000_000 })
}

function trial(cwd: string, ...args: string[]): Buffer | undefined {
  try {
    return git(cwd, args)
  } catch {
    return undefined
  }
}

function succeeds(cwd: string, ...args: string[]): boolean {
  return trial(cwd, ...args) !== undefined
}

/**
 * Reads the schema use of the base commit's version: from its own tables, with the packages that this
 * checkout has installed.
 * @throws Error with the build's message, for example if the commit has no such tables
 */
export async function readBaseUse(root: string, base: BaseCommit): Promise<SchemaUse> {
  using parent = mkdtempDisposableSync(join(tmpdir(), "accounts-base-"))
  const directory = join(parent.path, "checkout")
  checkOutInto(root, base.sha, directory)
  symlinkSync(join(checkout, "node_modules"), join(directory, "node_modules"), "junction")
  return { head: base.migrations.at(-1)?.name ?? "", tables: await tablesInUse(directory) }
}
