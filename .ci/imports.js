// Counts the imports that cross a border, and lays the parts in layers: `node .ci/imports.js [FOLDER]`.
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { posix } from "node:path"

const files = execFileSync("git", ["ls-files", "*.ts", "*.js"], { encoding: "utf8" })
  .trim()
  .split("\n")
  .filter((file) => existsSync(file))
const known = new Set(files)
const folder = process.argv[2] ?? ""

/** Folders of the packages, by name. */
const packages = new Map(
  execFileSync("git", ["ls-files", "*/package.json"], { encoding: "utf8" })
    .trim()
    .split("\n")
    .map((file) => [JSON.parse(readFileSync(file, "utf8")).name, posix.dirname(file)]),
)

/** @param {string} file */
function isOfTests(file) {
  return /(?:^|\/)(?:testing|tests)\/|\.(?:test|config)\.ts$/.test(file)
}

/**
 * The part of a file: a package or a top folder; within FOLDER, the folder or file below it.
 *
 * @param {string} file
 */
function partOf(file) {
  if (folder !== "") return file.slice(folder.length + 1).split("/")[0] ?? ""
  return /^packages\/[^/]+/.exec(file)?.[0] ?? (file.includes("/") ? file.split("/")[0] : "(top)")
}

/**
 * @param {string} file
 * @param {string} specifier
 */
function resolve(file, specifier) {
  if (specifier.startsWith(".")) return posix.join(posix.dirname(file), specifier)
  const [, name = ""] = /^((?:@[^/]+\/)?[^/]+)/.exec(specifier) ?? []
  const place = packages.get(name)
  return place === undefined ? undefined : `${place}/(${specifier.slice(name.length + 1) || "."})`
}

/** What a file imports, with whether that is types alone. @param {string} file */
function importsOf(file) {
  const text = readFileSync(file, "utf8")
  const pattern =
    /^(?:import|export)\s+(type\s)?(?:[\w*{][^"';]*?\sfrom\s+)?"([^"]+)"|\bimport\("([^"]+)"\)/gm
  return [...text.matchAll(pattern)].flatMap(([, type, stated, dynamic]) => {
    const target = resolve(file, stated ?? dynamic ?? "")
    return target === undefined ? [] : [{ file, target, types: type !== undefined }]
  })
}

const inside = files.filter((file) => file.startsWith(folder === "" ? "" : `${folder}/`))
const all = inside.flatMap((file) => importsOf(file))
const own = all.filter(
  ({ file, target }) => !isOfTests(file) && (folder === "" || target.startsWith(`${folder}/`)),
)

/** @type {Map<string, { count: number, types: number, names: Set<string> }>} */
const edges = new Map()
for (const { file, target, types } of own) {
  const [from, to] = [partOf(file), partOf(target)]
  if (from === to) continue
  const edge = edges.get(`${from} → ${to}`) ?? { count: 0, types: 0, names: new Set() }
  edge.count += 1
  if (types) edge.types += 1
  edge.names.add(target)
  edges.set(`${from} → ${to}`, edge)
}
const pairs = [...edges.keys()].map((edge) => edge.split(" → "))
const parts = new Set([...inside.filter((file) => !isOfTests(file)).map(partOf), ...pairs.flat()])

/** How many parts lie below one, at the longest; those of a circle have none. @type {Map<string, number>} */
const layers = new Map()
/** @param {string} part @param {string[]} path @returns {number} */
function layerOf(part, path = []) {
  if (path.includes(part)) throw new Error(`a circle: ${[...path, part].join(" → ")}`)
  const found = layers.get(part)
  if (found !== undefined) return found
  const below = pairs
    .filter(([from]) => from === part)
    .map(([, to]) => layerOf(to ?? "", [...path, part]))
  const layer = Math.max(-1, ...below) + 1
  layers.set(part, layer)
  return layer
}

/** Circles of files. @param {Map<string, string[]>} graph */
function circles(graph) {
  /** @type {Map<string, "open" | "done">} */
  const states = new Map()
  /** @type {string[]} */
  const found = []
  /** @param {string} file @param {string[]} path */
  function visit(file, path) {
    if (states.get(file) === "done") return
    if (states.get(file) === "open") {
      found.push([...path.slice(path.indexOf(file)), file].join(" → "))
      return
    }
    states.set(file, "open")
    for (const next of graph.get(file) ?? []) visit(next, [...path, file])
    states.set(file, "done")
  }
  for (const file of graph.keys()) visit(file, [])
  return found
}

const graph = new Map(inside.map((file) => [file, /** @type {string[]} */ ([])]))
for (const { file, target } of all) if (known.has(target)) graph.get(file)?.push(target)
const found = circles(graph)

/** @param {string} line */
function say(line) {
  process.stdout.write(`${line}\n`)
}
say(`${all.length} imports within the project, ${own.length} outside tests`)
for (const [edge, { count, types, names }] of [...edges].toSorted(
  (one, other) => other[1].count - one[1].count,
)) {
  say(`${edge}: ${count} (${types} of types), to ${names.size} files or entries`)
}
const crossing = [...edges.values()].reduce((sum, { count }) => sum + count, 0)
say(`${crossing} cross a border on ${edges.size} edges`)
for (const part of parts) layerOf(part)
const height = Math.max(...layers.values()) + 1
for (let layer = height - 1; layer >= 0; layer -= 1) {
  say(`layer ${layer}: ${[...parts].filter((part) => layers.get(part) === layer).join(", ")}`)
}
say(`${parts.size} parts on ${height} layers; ${found.length} circles of files`)
for (const circle of found) say(circle)
process.exitCode = found.length === 0 ? 0 : 1
