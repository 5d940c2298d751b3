import { readFileSync } from "node:fs"
import { join } from "node:path"

/** Environments by text, each with the programs that certainly had it. */
type Seen = { programs: Set<string>; environments: Map<string, Set<string>> }

/** `certain` are those of the programs that had it whatever a process was about to become. */
export type Holder = { programs: string[]; certain: string[]; variables: string[] }

/** Records programs and environments of processes, as often as they are looked at. */
export function createProcessRecord() {
  const processes = new Map<number, Seen>()

  /** A process may become another program while it is read: its arguments are read before and after. */
  function look(pid: number): void {
    const read = (file: string) => readFileSync(join("/proc", String(pid), file), "latin1")
    try {
      const [before, environment, after] = [read("cmdline"), read("environ"), read("cmdline")]
      const { programs, environments } = processes.get(pid) ?? {
        programs: new Set(),
        environments: new Map(),
      }
      processes.set(pid, { programs, environments })
      for (const program of [before, after]) programs.add(program)
      const certain = environments.get(environment) ?? new Set()
      environments.set(environment, certain)
      if (before === after) certain.add(before)
    } catch {
      // It has exited, or belongs to another user.
    }
  }

  return {
    look,
    /** All arguments so far, each of which ends in NUL. */
    programs: () => [...processes.values()].flatMap(({ programs }) => Array.from(programs)),
    /** All environments so far: each with its variables, which end in NUL. */
    environments: () => [
      ...new Set(
        [...processes.values()].flatMap(({ environments }) => Array.from(environments.keys())),
      ),
    ],
    /** Processes that held a text in their environment: what they ran, and the variables that held it. */
    holders: (text: string) =>
      [...processes.values()].flatMap((record) => holderOf(record, text) ?? []),
  }
}

function holderOf({ programs, environments }: Seen, text: string): Holder | undefined {
  const matching = [...environments].filter(([environment]) => environment.includes(text))
  if (matching.length === 0) return undefined
  const variables = matching.flatMap(([environment]) => namesOf(environment, text))
  const certain = matching.flatMap(([, by]) => Array.from(by, wordsOf))
  return {
    programs: Array.from(programs, wordsOf),
    certain: [...new Set(certain)],
    variables: [...new Set(variables)],
  }
}

function wordsOf(commandLine: string): string {
  return commandLine.replaceAll("\0", " ").trim()
}

/** Names of the variables whose values contain a text. */
function namesOf(environment: string, text: string): string[] {
  const variables = environment.split("\0").filter((variable) => variable.includes(text))
  return variables.map((variable) => variable.replace(/=[^]*/, ""))
}
