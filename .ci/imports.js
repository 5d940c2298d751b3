// Counts the imports that cross a border outside tests, and lays the parts in layers: `node .ci/imports.js`.
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { posix } from "node:path"

/** @param {string[]} patterns */
function tracked(...patterns) {
  return execFileSync("git", ["ls-files", ...patterns], { encoding: "utf8" })
    .trim()
    .split("\n")
}

/** A package, or a folder at the top. @param {string} path */
function partOf(path) {
  return /^packages\/[^/]+/.exec(path)?.[0] ?? (path.includes("/") ? path.split("/")[0] : "(top)")
}

/** Parts that a file imports; an import by a package's name is of that package. @param {string} file */
function importsOf(file) {
  const statement = /^(?:import|export)\s+(?:type\s)?(?:[\w*{][^"';]*?\sfrom\s+)?"([^"]+)"/gm
  return [...readFileSync(file, "utf8").matchAll(statement)].flatMap(([, specifier = ""]) => {
    const path = specifier.replace(/^@accounts-stack\//, "packages/")
    if (path !== specifier) return [partOf(path)]
    return path.startsWith(".") ? [partOf(posix.join(posix.dirname(file), path))] : []
  })
}

/** @type {Map<string, Map<string, number>>} */
const edges = new Map()
let count = 0
const ofTests = /(?:^|\/)(?:testing|tests)\/|\.(?:test|config)\.ts$/
for (const file of tracked("*.ts", "*.tsx", "*.js").filter((path) => !ofTests.test(path))) {
  const from = partOf(file) ?? ""
  const below = edges.get(from) ?? new Map()
  edges.set(from, below)
  for (const to of importsOf(file)) {
    count += 1
    if (to !== from) below.set(to, (below.get(to) ?? 0) + 1)
  }
}

/** How many parts lie below one, at the longest. @param {string} part @param {string[]} above @returns {number} */
function layerOf(part, above = []) {
  if (above.includes(part)) throw new Error(`a circle: ${[...above, part].join(" → ")}`)
  const below = [...(edges.get(part)?.keys() ?? [])]
  return Math.max(0, ...below.map((neighbour) => layerOf(neighbour, [...above, part]) + 1))
}

const lines = [...edges].flatMap(([from, below]) =>
  [...below].map(([to, number]) => `${from} → ${to}: ${number}`),
)
const crossing = [...edges.values()].flatMap((below) => Array.from(below.values()))
const layers = Object.entries(Object.groupBy(edges.keys(), (part) => layerOf(part)))
lines.push(...layers.map(([layer, parts]) => `layer ${layer}: ${parts?.join(", ")}`))
lines.push(
  `${count} imports, ${crossing.reduce((sum, number) => sum + number, 0)} across a border on ${crossing.length} edges, ${edges.size} parts`,
)
process.stdout.write(`${lines.join("\n")}\n`)
