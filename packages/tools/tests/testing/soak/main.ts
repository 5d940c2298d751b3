import { spawn } from "node:child_process"
import { parseArgs } from "node:util"

/** Runs the long tests (`*.long.*`), then the seeded ones (`*.soak.test.ts`): the same seed gives the same run. */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    budget: { type: "string", default: "full" },
    seed: { type: "string", default: "1" },
    /** File for vitest's JSON report. */
    report: { type: "string" },
    help: { type: "boolean", default: false },
  },
})

const usage = "npm run soak -- [--budget ci|full] [--seed N] [--report FILE] [TEST FILE…]"
if (values.help || !["ci", "full"].includes(values.budget)) {
  process.stderr.write(`${usage}\n`)
  process.exit(values.help ? 0 : 2)
}
const reporters = values.report
  ? ["--reporter=default", "--reporter=json", `--outputFile.json=${values.report}`]
  : []
const child = spawn(
  "vitest",
  [
    "run",
    "--config",
    "packages/tools/tests/testing/soak/soak.config.ts",
    ...reporters,
    ...positionals,
  ],
  {
    stdio: "inherit",
    env: { ...process.env, SOAK_BUDGET: values.budget, SOAK_SEED: values.seed },
  },
)
child.once("exit", (code) => process.exit(code ?? 1))
