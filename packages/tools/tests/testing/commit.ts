import { execFileSync } from "node:child_process"

/** @returns what git prints */
export function git(directory: string, ...args: string[]): string {
  return execFileSync("git", args, { cwd: directory, stdio: "pipe", encoding: "utf8" }).trim()
}

/** Commits everything in a copy, even if nothing changed. */
export function commit(directory: string, message: string): void {
  git(directory, "add", "--all")
  const author = [
    "-c",
    "user.name=Test",
    "-c",
    "user.email=test@example.com",
    "-c",
    "commit.gpgsign=false",
    "-c",
    "maintenance.auto=false",
  ]
  git(directory, ...author, "commit", "--quiet", "--allow-empty", "-m", message)
}
