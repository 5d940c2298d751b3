import { fileLimit, statementLimit } from "../../files/migration-files.ts"
import type { Step } from "../../reading/reading.ts"
import type { Found, Rule } from "../rule.ts"

export const d1Limits: Rule = {
  name: "d1-limits",
  find: ({ reading: { steps } }) => {
    const [first] = steps
    const bytes = steps.reduce((sum, step) => sum + step.bytes, 0)
    const message = `the file has ${bytes} bytes, and one request takes ${fileLimit}`
    const rewrite = "Split the file, or load data with an import."
    const tooLong: Found[] =
      first === undefined || bytes <= fileLimit
        ? []
        : [{ step: first, level: "error", message, rewrite }]
    return [...tooLong, ...steps.flatMap(findLimit)]
  },
}

const limits: [reason: RegExp, rewrite: string][] = [
  [/too many columns/, "Split the table: D1 takes 100 columns in a table, an index or a result."],
  [
    /too many terms in compound SELECT/,
    "Use VALUES (…), (…) or several INSERTs: D1 takes 5 SELECTs in one.",
  ],
  [
    /Expression tree is too large/,
    "Use IN (…) or json_each('[…]') instead of a chain of OR or ||.",
  ],
  [
    /LIKE or GLOB pattern too complex/,
    "D1 takes 50 bytes in a pattern: compare with instr() or substr().",
  ],
  [
    /too many arguments on function|variable number must be/,
    "D1 takes 100 parameters: write several statements.",
  ],
]

function findLimit(step: Step): Found[] {
  if (step.bytes > statementLimit) {
    const message = `the statement has ${step.bytes} bytes, and D1 takes ${statementLimit}`
    return [{ step, level: "error", message, rewrite: "Insert fewer rows at a time." }]
  }
  const reason = step.failure ?? ""
  return limits
    .filter(([pattern]) => pattern.test(reason))
    .map(([, rewrite]) => ({ step, level: "error", message: `D1 refuses it: ${reason}`, rewrite }))
}
