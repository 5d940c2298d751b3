import { checkRule, type Found, type Rule } from "./rule.ts"

/** Fewest characters of a reason that tells a reviewer something. */
const shortestReason = 12

export const acceptanceRule: Rule = {
  id: "R51",
  message: "What is accepted is a rule that may be, that finds something here, and for a reason",
  fix: 'remove it, or write accounts:accept: {<rule>: "<reason>"}',
  check: (subject, rules) =>
    Object.entries(subject.environment.accept ?? {}).flatMap(([id, reason]): Found[] => {
      const path = ["accounts:accept", id]
      const rule = rules.find((one) => one.id === id)
      if (rule === undefined) return [{ path, reason: "is no rule of docs/environment-rules.md" }]
      if (rule.accept === undefined) return [{ path, reason: "may never be accepted" }]
      if (reason.trim().length < shortestReason) {
        return [{ path, reason: "needs a reason that a reviewer understands" }]
      }
      // Only beside its neighbours does a file break all the rules that it breaks.
      if (!subject.committed) return []
      const broken = checkRule(rule, subject, rules).length > 0
      return broken ? [] : [{ path, reason: "is accepted, but nothing here breaks it" }]
    }),
}
