import { execFileSync } from "node:child_process"

export function git(directory: string, ...args: string[]): void {
  execFileSync("git", args, { cwd: directory, stdio: "pipe" })
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
