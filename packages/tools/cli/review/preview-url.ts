import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"

import { isDraft } from "../../environment/rules/account.ts"
import { readSource } from "../../environment/stack-source.ts"
import { listEnvironments, readSubject } from "../../environment/subject.ts"
import { shortName } from "../branch/branch-name.ts"

export type PreviewOfBranch = {
  branch: string
  /** Undefined while nobody has filled in the template. */
  url: string | undefined
}

/** Where the preview of the branch answers, which follows from its name alone. */
export function previewOfBranch(
  root: string,
  { GITHUB_HEAD_REF }: NodeJS.ProcessEnv,
): PreviewOfBranch | undefined {
  const path = join(root, "environments", "preview.yaml")
  const branch = GITHUB_HEAD_REF || checkedOutIn(root)
  if (branch === undefined || !existsSync(path)) return undefined
  const template = listEnvironments(join(root, "environments"), "").find((one) => one.path === path)
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
