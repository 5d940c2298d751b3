// Lints the workflows. Each linter is installed once into the user's cache, and skipped where that cannot be done.
import { spawnSync } from "node:child_process"
import { join } from "node:path"

import {
  cachedProgram,
  goProgramMissing,
  pythonProgramMissing,
} from "../packages/tools/tests/testing/cached-program.ts"

const [actionlint, zizmor] = [
  cachedProgram("actionlint", "1.7.12"),
  cachedProgram("zizmor", "1.32.0"),
]

const linters = [
  {
    program: actionlint,
    missing: () => goProgramMissing(actionlint, "github.com/rhysd/actionlint/cmd/actionlint"),
    // Its own checks alone, whatever else lies on the machine.
    args: ["-shellcheck=", "-pyflakes="],
  },
  {
    program: zizmor,
    missing: () => pythonProgramMissing(zizmor, [`zizmor==${zizmor.version}`]),
    args: ["--offline", "--quiet", "--persona=auditor", "--min-severity=medium", ".github"],
  },
]

for (const { program, missing, args } of linters) {
  const reason = await missing()
  if (reason !== undefined) {
    process.stdout.write(`↷ ${program.name}: skipped: ${reason}\n`)
    continue
  }
  const { status } = spawnSync(join(program.folder, "bin", program.name), args, {
    stdio: "inherit",
  })
  if (status !== 0) process.exitCode = 1
}
