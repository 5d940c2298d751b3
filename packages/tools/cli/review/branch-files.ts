import { execFileSync } from "node:child_process"
import { existsSync, mkdtempDisposableSync, readdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, posix } from "node:path"

import { Failure, messageOf } from "../../base/failure.ts"
import { isDraft } from "../../environment/rules/account.ts"
import { readSource, readText } from "../../environment/stack-source.ts"
import { listEnvironments, readSubject } from "../../environment/subject.ts"
import { shortName } from "../branch/branch-name.ts"

/** Parts of the repository from a reviewer's view. A file belongs to the first part that matches it. */
const parts = [
  {
    // Includes files of workspaces, because npm runs their scripts.
    part: "is installed",
    holds: /(?:^|\/)(?:package(?:-lock)?\.json|npm-shrinkwrap\.json|\.npmrc)$/,
  },
  {
    part: "is declared",
    holds:
      /^environments\/(?:Pulumi\.[^/]+\.yaml|preview(?:\.[^/]+)?\.yaml|[^/]+\.effective\.yaml|stack\.schema\.json)$|^migrations\/(?:[^/]+\.(?:sql|md)|meta\/[^/]+\.json)$/,
  },
  {
    part: "judges",
    holds:
      /^(?:\.github|\.ci|\.ox|infra\/project\.ts$|packages\/(?:d1-migrations|tools\/(?:environment|cli\/re(?:view|hearsal)|cli\/command\/review)))|(?:^|\/)CODEOWNERS$/,
  },
  { part: "is read alone", holds: /^(?:packages\/bench|docs|examples)\/|^(?:[^/]+\.md|LICENSE)$/ },
  { part: "tests", holds: /^packages\/[^/]+\/tests\/|\/testing\/|\.test\.ts$|^vitest/ },
  // The Worker serves pages that contain the client.
  { part: "answers requests", holds: /^(?:app|packages\/client\/src)\// },
  // Any other file may run with access to the deployment keys.
  { part: "plans or deploys", holds: /^/ },
] as const

type CodePart = (typeof parts)[number]["part"]

/** Parts by urgency of their review. */
export const readingOrder = [
  "judges",
  "is installed",
  "plans or deploys",
  "answers requests",
  "tests",
] as const satisfies CodePart[]

function partOf(path: string): CodePart {
  return parts.find(({ holds }) => holds.test(path))?.part ?? "plans or deploys"
}

type JudgedBranch = Disposable & {
  root: string
  /** The commit whose code judges the branch, and that is merged with it. */
  base: string
}

/**
 * Clones the branch of another checkout and merges this checkout's commit. Symbolic links become text files, so
 * no code of the branch runs and no link leads out of the clone.
 * @throws Failure if it cannot be merged
 */
export function openBranch(judge: string, directory: string): JudgedBranch {
  using folder = new DisposableStack()
  const { path: root } = folder.use(mkdtempDisposableSync(join(tmpdir(), "accounts-judged-")))
  // A file of the branch could choose the server from which Git LFS downloads.
  const env = { ...process.env, GIT_LFS_SKIP_SMUDGE: "1" }
  const git = (cwd: string, ...args: string[]) =>
    execFileSync("git", args, { cwd, env, encoding: "utf8", stdio: "pipe" }).trim()
  try {
    const base = git(judge, "rev-parse", "HEAD")
    const clone = ["clone", "--quiet", "--shared", "--template=", "-c", "core.symlinks=false"]
    git(judge, ...clone, directory, root)
    const author = ["-c", "user.name=review", "-c", "user.email=review@localhost"]
    git(root, ...author, "-c", "commit.gpgsign=false", "merge", "--quiet", "--no-edit", base)
    const clones = folder.move()
    return { root, base, [Symbol.dispose]: () => clones.dispose() }
  } catch (error) {
    const message = `The branch in ${directory} cannot be merged into ${judge}, so what it would be is not known: merge main into it. ${messageOf(error)}`
    throw new Failure("COMMAND_FAILED", message, { cause: error })
  }
}

export type ChangedFile = {
  path: string
  part: CodePart
  lines: string
  /** Operations, paths and pages that depend on a file that answers requests. */
  operations?: string[]
}

/** These modules import everything, so their imports say nothing. */
const registries = new Set(["router.ts", "worker.ts", "pages.ts", "service/routes/endpoints.ts"])

/**
 * Returns a function from a module to the operations, /api/auth paths and pages that its change may affect: the
 * module's own and its direct and indirect importers'. Only parses text: no code of the branch runs.
 * @param operations names of all operations of the API
 */
export function operationsBehind(root: string, operations: string[]): (path: string) => string[] {
  const folder = join(root, "app")
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: "utf8" }) : []
  const modules = names.filter((name) => /\.tsx?$/.test(name) && partOf(`app/${name}`) !== "tests")
  const importers = new Map<string, string[]>()
  const operationsOf = new Map<string, string[]>()
  for (const name of modules) {
    const text = readText(join(folder, name)) ?? ""
    const defined = new Set(
      [...text.matchAll(/^(?:export )?(?:const|function) (\w+)\b/gm)].map(
        ([, constant]) => constant,
      ),
    )
    const isProcedures = name.endsWith(".rpc.ts")
    const procedures = isProcedures ? operations.filter((operation) => defined.has(operation)) : []
    operationsOf.set(name, [...procedures, ...pathsIn(name, text)])
    if (registries.has(name)) continue
    for (const [, path = ""] of text.matchAll(/^(?!import type)[^"\n]*from "(\.[^"]+)"/gm)) {
      const imported = posix.join(posix.dirname(name), path)
      importers.set(imported, [...(importers.get(imported) ?? []), name])
    }
  }
  return (path) => {
    const reached = new Set([path.replace(/^app\//, "")])
    for (const name of reached) {
      for (const importer of importers.get(name) ?? []) reached.add(importer)
    }
    return [...new Set([...reached].flatMap((name) => operationsOf.get(name) ?? []))].toSorted()
  }
}

/** Returns the paths of the endpoints below /api/auth, and of the pages, that a module defines. */
function pathsIn(name: string, text: string): string[] {
  const paths = [...text.matchAll(/^ +path: "(\/[^"]*)"/gm)].map(([, path = ""]) => path)
  if (name.endsWith(".tsx")) return paths
  return name.startsWith("service/") ? paths.map((path) => `/api/auth${path}`) : []
}

/** Lists the files of the work tree that differ from a commit, including new files. */
export function changedFiles(root: string, sha: string): ChangedFile[] {
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: "pipe", maxBuffer: 64_000_000 })
      .split("\0")
      .filter(Boolean)
  const whole = ["--no-renames", "--ignore-submodules=none"]
  // Pairs of mode and path. A symbolic link or a submodule may have other content where it is deployed.
  const modes = git("diff", "--raw", "-z", ...whole, sha)
  const leading = new Set(modes.filter((_, at) => /^:\d+ 1[26]0000 /.test(modes[at - 1] ?? "")))
  const changed = git("diff", "--numstat", "-z", ...whole, sha).map((entry): ChangedFile => {
    const [added = "", removed = "", ...rest] = entry.split("\t")
    const path = rest.join("\t")
    const part = leading.has(path) ? "plans or deploys" : partOf(path)
    return { path, part, lines: `+${added} -${removed}` }
  })
  const untracked = git("ls-files", "-z", "--others", "--exclude-standard")
  return [...changed, ...untracked.map((path) => ({ path, part: partOf(path), lines: "new" }))]
}

export type PreviewOfBranch = {
  branch: string
  /** Undefined until the template is filled in. */
  url: string | undefined
}

/** Returns the address of the branch's preview, which depends only on the branch's name. */
export function previewOfBranch(
  root: string,
  { GITHUB_HEAD_REF }: NodeJS.ProcessEnv,
): PreviewOfBranch | undefined {
  const path = join(root, "environments", "preview.yaml")
  const branch = GITHUB_HEAD_REF || checkedOutIn(root)
  if (branch === undefined || !existsSync(path)) return undefined
  const template = listEnvironments(join(root, "environments"), "").find(
    (environment) => environment.path === path,
  )
  if (!template || isDraft(readSubject(template))) return { branch, url: undefined }
  const origin = String(readSource(path).file.config["accounts:apiOrigin"])
  return { branch, url: origin.replaceAll("{branch}", shortName(branch)) }
}

function checkedOutIn(root: string): string | undefined {
  try {
    const args = ["symbolic-ref", "--short", "HEAD"]
    return execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: "pipe" }).trim()
  } catch {
    return undefined
  }
}
