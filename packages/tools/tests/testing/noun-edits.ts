import {
  cpSync,
  globSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"

/** Where a noun has lines, besides its own folder. */
function registriesOf(directory: string): string[] {
  return globSync(["app/*.ts", "app/testing/nouns.ts"], { cwd: directory })
}

function change(directory: string, path: string, to: (text: string) => string): void {
  const file = join(directory, path)
  writeFileSync(file, to(readFileSync(file, "utf8")))
}

/** Removes a noun from a copy as docs/changing.md says; @returns the files that were changed besides. */
export function removeNoun(directory: string, noun: string): string[] {
  const events = eventsOf(join(directory, "app", noun))
  rmSync(join(directory, "app", noun), { recursive: true })
  const imported = new RegExp(
    `^import (?:\\{ (.*) \\}|\\* as (\\w+)) from "\\.\\.?/${noun}/.*\\n`,
    "gm",
  )
  const registries = registriesOf(directory).filter((path) => {
    const text = readFileSync(join(directory, path), "utf8")
    const importedNames = [...text.matchAll(imported)].map(
      ([, names = "", namespace = ""]) => names || namespace,
    )
    const names = importedNames.flatMap((each) => each.split(", "))
    const remaining = names.reduce(
      (rest, name) => withoutEntry(rest, name),
      text.replaceAll(imported, ""),
    )
    if (remaining === text) return false
    writeFileSync(join(directory, path), remaining)
    return true
  })
  change(directory, "app/plan/plan.ts", (text) =>
    text.replaceAll(new RegExp(`"?${noun}_(?:entries|results)"?(?:: \\d+)?,? ?`, "g"), ""),
  )
  change(directory, "app/page-paths.ts", (text) =>
    text.replaceAll(new RegExp(`^  "/${noun}s?",\n`, "gm"), ""),
  )
  for (const words of globSync("app/pages/words/*/account.ts", { cwd: directory })) {
    change(directory, words, (text) =>
      text.replaceAll(new RegExp(`\\b${noun}_(?:entries|results): "[^"]*",? ?`, "g"), ""),
    )
  }
  change(directory, "docs/specification.md", (text) =>
    text.replaceAll(new RegExp(`^\`${noun}/.*\\n\\n(?:- .*\\n)+\\n?`, "gm"), ""),
  )
  change(directory, "docs/operating.md", (text) =>
    events.reduce(
      (rest, event) => rest.replace(new RegExp(`^\\| \`${event}\` .*\\n`, "m"), ""),
      text,
    ),
  )
  return registries
}

/** What its code logs. */
function eventsOf(folder: string): string[] {
  const text = globSync("*.ts", { cwd: folder })
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .join("\n")
  return [...text.matchAll(/\blog\(\s*"\w+",\s*"([\w.]+)"/g)].map(([, event = ""]) => event)
}

/** Takes a line of its own, or a part of one. */
function withoutEntry(text: string, name: string): string {
  return text
    .replaceAll(new RegExp(`^ +\\.\\.\\..*\\b${name}\\b.*\\n`, "gm"), "")
    .replaceAll(new RegExp(`^ *(?:"[^"]*"|\\w+|app\\.\\w+\\(.*): ?.*\\b${name}\\b.*,\\n`, "gm"), "")
    .replaceAll(new RegExp(`^app\\..*\\b${name}\\b.*\\n`, "gm"), "")
    .replaceAll(new RegExp(`, ${name}\\b|\\b${name}, |(?<=\\[)${name}(?=\\])`, "g"), "")
}

/** Adds a noun to a copy: another one under a new name, with the lines that that one has. */
export function addNoun(directory: string, { noun, like }: { noun: string; like: string }): void {
  const renamed = (text: string) =>
    text.replaceAll(like, noun).replaceAll(capital(like), capital(noun))
  const folder = join(directory, "app", noun)
  // Pages are optional, and their words are of one noun.
  const isOfPages = (text: string) => /page/i.test(text)
  const filter = (path: string) => !path.endsWith(".tsx") && !path.includes("-page.")
  cpSync(join(directory, "app", like), folder, { recursive: true, filter })
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".ts")) continue
    change(folder, name, renamed)
    renameSync(join(folder, name), join(folder, renamed(name)))
  }
  const lines = new RegExp(`^(?:import .*"\\.\\.?/${like}/|  \\.\\.\\.).*\\n`, "gm")
  const entry = new RegExp(`(?<=\\[.*)\\b(${like}\\w*)(?=.*\\]$)`, "gm")
  for (const path of registriesOf(directory)) {
    change(directory, path, (text) =>
      text
        .replaceAll(lines, (line) =>
          renamed(line) === line || isOfPages(line) ? line : line + renamed(line),
        )
        .replaceAll(entry, (name) => `${name}, ${renamed(name)}`),
    )
  }
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
