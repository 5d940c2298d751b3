/** A long test with more to do than by itself, which the environment says. */
export type LongerRun = { project: string; file: string; env: Record<string, string> }

const isFull = process.env["SOAK_BUDGET"] === "full"
const seed = Number(process.env["SOAK_SEED"] ?? 1)
const rounds = isFull ? 200 : 6

// An isolate of the tests may have 10,000 timers, and keeps those of all its requests.
const parts = isFull ? 8 : 1
const shares = Array.from({ length: parts }, (_, part) => `${part}/${parts}`)

function service(name: string, env: Record<string, string>): LongerRun {
  return { project: "workers", file: `service/${name}.long.workers.test.ts`, env }
}

export const accountRuns = [
  ...["guard/enumeration", "guard/enumeration-sequences"].flatMap((name) =>
    shares.map((KINDS_PART) => service(name, { SEEDED_ROUNDS: String(rounds), KINDS_PART })),
  ),
  ...["sign-in/second-factor/generated-attacks", "openapi/conformance"].map((name) =>
    service(name, { SEEDED_ROUNDS: String(rounds / 2) }),
  ),
  // A sample of these runs each day; here all of them.
  ...(isFull ? Array.from({ length: 16 }, (_, part) => `${part}/16`) : ["0/1"]).map(
    (KINDS_PART) => ({
      project: "workers",
      file: "service/session/assurance/accepted-proofs.workers.test.ts",
      env: { SEEDED_ROUNDS: String(rounds), SEEDED_FROM: String(seed), KINDS_PART },
    }),
  ),
  ...(isFull ? [service("session/owner-proof", { LONGEST_SEQUENCE: "2" })] : []),
  ...Array.from({ length: isFull ? 10 : 1 }, (_, index) =>
    service("session/owner-proof", {
      SEEDED_ROUNDS: "20",
      SEEDED_FROM: String(seed * 1000 + index),
    }),
  ),
]

export const databaseRuns = [
  // In full, as many as there are of them.
  service("platform/database/faults-by-route", { FAULT_VISITS: isFull ? "10000" : "8" }),
  {
    project: "deploy",
    file: "packages/tools/tests/stalled-database.long.deploy.test.ts",
    env: { STALL_SECONDS: isFull ? "120" : "15" },
  },
]

/** These files are not run on their own as well. */
export const longerRuns = [...accountRuns, ...databaseRuns]
