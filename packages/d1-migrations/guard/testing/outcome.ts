// node outcome.ts EXAMPLE|SQL: whether a case is "applied" or "stopped", or how many statements a script costs.
import { join } from "node:path"

import { applyCase } from "../../apply/testing/apply-case.ts"
import { readCases } from "../../lint/testing/cases.ts"
import { moreStatements } from "./more-statements.ts"

const [example = ""] = process.argv.slice(2)
const cases = readCases(join(import.meta.dirname, "../../apply/testing/real-rows"))
const realCase = cases.find(({ name }) => name === example)
if (realCase === undefined) process.stdout.write(String(moreStatements(example)))
else process.stdout.write((await applyCase(realCase)).up === "applied" ? "applied" : "stopped")
