import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** Answers `gh` for the jobs of workflows: green checks, and what the last run of staging has left. */
export function createGitHub(directory: string) {
  const released = join(directory, "released.json")
  const script = `case "$*" in
*check.yml*) echo 0123abc ;;
*staging.yml*) echo 7 ;;
"run download 7 "*) cp ${released} "$RUNNER_TEMP/released.json" ;;
*) exit 1 ;;
esac`
  writeFileSync(join(directory, "gh"), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  return {
    released: () => readFileSync(released, "utf8"),
    release: (artifact: string) => writeFileSync(released, artifact),
  }
}
