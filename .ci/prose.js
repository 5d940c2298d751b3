// Lints the English of comments, messages and pages: `node .ci/prose.js`.
// PATH lists the findings of a file or folder, `--count` counts by part, `--write` lowers the counts that the
// parts may have until they are clean.
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"

import ts from "typescript"

/**
 * The refused expressions in comments, messages and pages, with what to write instead.
 * @type {[RegExp, string][]}
 */
const refused = [
  [/\bof before\b/, "previous, or: as it was before"],
  [/\bwho(m)?ever\b/i, "name it: the user, the caller, the operator"],
  [/\b(no|some|any|every)body\b/i, "name it: no user, a member, each caller"],
  [/\bseldom\b/i, "rarely"],
  [/\banew\b/i, "again"],
  [/\bno more\b(?! than)/i, "no longer"],
  [/\bbut for\b/i, "except"],
  [/\bin vain\b|\bbefalls?\b|\bshall\b|\bought to\b|\bmend(s|ed)?\b/i, "modern English"],
  [/\b(takes?|took|taken) (\w+ )?along\b|\balong with\b/i, "with, or: includes"],
  [/(?<!= )\b([Uu]ndefined|[Nn]ull|[Nn]one,?) where\b/, "if"],
  [/\bsays? so\b/i, "what it says"],
  [/\bin words\b/i, "explicitly"],
  [/\bby the way\b|\ball the same\b/i, "nothing, or: still"],
  [/\bonce (more|again)\b/i, "again"],
  [/\bputs? right\b/i, "corrects, repairs"],
  [/\bhas (not|none)\./i, "the verb and its object"],
  [
    /(?<!\b(case|capital|first|small|ASCII|two|eight|of|one|TABLE|FROM) |first-|')\bletters?\b(?!-spacing)(?! (and|or) digits?)/i,
    "email",
  ],
  [/\bnouns?\b/i, "feature"],
  [/\bway in\b|\bways (in|to sign in|of)\b/i, "sign-in method"],
  [/\bgo(es)? (by|with|along|away|out)\b/i, "the verb that is meant"],
  [/\bcounts? for\b/i, "the verb that is meant"],
  [/\bholds? (for|to|of)\b|\bheld to\b/i, "applies to, is true of"],
  [/\bstill to\b|\b(is|are) to be\b/i, "must"],
  [/\bhand(s|ed)? over\b/i, "passes"],
]

/** Refused at the start of a comment. @type {[RegExp, string][]} */
const refusedStarts = [
  [/^(What|Whom|Whose|Who) /, "begin with a verb, or name the thing"],
  [
    /^(Of|By|For|To|As|In|With|Without|Under|Behind|Beside) (a|an|the|all|each|what|those|two|one)\b/,
    "begin with a verb, or name the thing",
  ],
  [/^(Those|Ones|Such|That|One|And|Also) /, "begin with a verb, or name the thing"],
]

/** Often poor, sometimes right: counted. */
const doubtful = [
  /\bone (that|which|whose|who)\b/i,
  /\bones\b/i,
  /\b(that of (a|the|an)|those of)\b/i,
  /\b(of|for|to|under|in) (which|whom)\b/i,
  /, too\b/i,
  /\bby itself\b/i,
  /\banother one\b/i,
  /\bno other\b/i,
  /\balone\b/i,
  /\bat once\b/i,
  /\bstands? (in|for|at|below|beside)\b/i,
  /\blies? (in|on|below|beside|at)\b/i,
  /\bgets? (in|out|back|through|a |no )/i,
  /\blets? (\w+ )?(in|through)\b/i,
  /\bhas (it|them)\b/i,
  /\bmeanwhile\b/i,
  /\bmoment\b/i,
]

const pendingFile = ".ci/prose-pending.json"

/** @typedef {"comments" | "messages" | "titles" | "pages"} Kind */
/** @typedef {{ kind: Kind, lines: string[], line: number }} Prose */

/** @param {string[]} patterns */
function filesOf(...patterns) {
  const git = ["ls-files", "--cached", "--others", "--exclude-standard", ...patterns]
  const paths = execFileSync("git", git, { encoding: "utf8" }).trim().split("\n")
  return [...new Set(paths)].filter(
    (path) => existsSync(path) && !/\.generated\.|CHANGELOG/.test(path),
  )
}

/** Code between backticks, and the targets of links, are not prose. @param {string} line */
function withoutCode(line) {
  return line.replaceAll(/`[^`]*`/g, "`code`").replaceAll(/\]\([^)]*\)/g, "]")
}

/** Paragraphs, list items and table rows. @param {string} text @returns {Prose[]} */
function proseOfPage(text) {
  /** @type {Prose[]} */
  const blocks = []
  let isFenced = false
  for (const [index, line] of text.split("\n").entries()) {
    const isFence = line.trimStart().startsWith("```")
    if (isFence) isFenced = !isFenced
    if (isFence || isFenced) continue
    blocks.push({ kind: "pages", lines: [withoutCode(line)], line: index + 1 })
  }
  return blocks
}

/** @param {string} path @param {string} text @returns {Prose[]} */
function proseOfSource(path, text) {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, false)
  /** @type {ts.Node[]} */
  const literals = []
  /** @param {ts.Node} node */
  function visit(node) {
    const isLiteral =
      ts.isLiteralExpression(node) ||
      ts.isTemplateMiddleOrTemplateTail(node) ||
      ts.isTemplateHead(node)
    if (isLiteral || ts.isJsxText(node)) literals.push(node)
    ts.forEachChild(node, visit)
  }
  visit(source)
  literals.sort((a, b) => a.pos - b.pos)
  /** @param {number} position */
  const lineAt = (position) => source.getLineAndCharacterOfPosition(position).line + 1
  const isTest = /\.test\.ts$|(^|\/)(testing|tests)\//.test(path)
  /** @type {Prose[]} */
  const strings = literals.flatMap((node) => {
    const start = node.getStart(source)
    const string = text.slice(start, node.end)
    if (ts.isRegularExpressionLiteral(node) || !/\w [\w$]/.test(string)) return []
    const kind = isTest ? "titles" : "messages"
    // The backticks around a template are not code.
    const content = string.replace(/^`|`$/g, "")
    return [{ kind, lines: content.split("\n").map(withoutCode), line: lineAt(start) }]
  })
  const ends = [0, ...literals.map(({ end }) => end)]
  const starts = [...literals.map((node) => node.getStart(source)), text.length]
  const comments = ends.flatMap((end, index) => {
    const between = text.slice(end, starts[index])
    return [...between.matchAll(/\/\*[^]*?\*\/|\/\/.*(?:\n *\/\/.*)*/g)].map((match) => {
      const lines = match[0]
        .split("\n")
        .map((line) =>
          withoutCode(line.replace(/^\s*(?:\/\/|\/?\*+\/?) ?/, "").replace(/ ?\*+\/$/, "")),
        )
      return { kind: /** @type {const} */ ("comments"), lines, line: lineAt(end + match.index) }
    })
  })
  return [...strings, ...comments]
}

/** All expressions in one, so that prose without a finding is read once. */
const anyExpression = new RegExp(
  [...refused.map(([expression]) => expression), ...doubtful].map(({ source }) => source).join("|"),
  "i",
)

/** @param {Prose} prose @param {[RegExp, string?][]} expressions */
function matchesOf({ lines, line }, expressions) {
  const text = lines.join(" ")
  return expressions.flatMap(([expression, instead]) =>
    [...text.matchAll(new RegExp(expression, `${expression.flags}g`))].map((match) => {
      const before = text.slice(0, match.index)
      let length = 0
      const index = lines.findIndex((each) => (length += each.length + 1) > before.length)
      return { line: line + index, words: match[0].trim(), instead }
    }),
  )
}

/** @param {string} path */
function findingsOf(path) {
  const text = readFileSync(path, "utf8")
  const passages = path.endsWith(".md") ? proseOfPage(text) : proseOfSource(path, text)
  return passages.flatMap((prose) => {
    const words = prose.lines.join(" ")
    const matches = anyExpression.test(words)
      ? [
          ...matchesOf(prose, refused),
          ...matchesOf(
            prose,
            doubtful.map((expression) => [expression]),
          ),
        ]
      : []
    const start = prose.lines.findIndex((line) => line.trim() !== "")
    const first = {
      ...prose,
      lines: [(prose.lines[start] ?? "").trimStart()],
      line: prose.line + Math.max(0, start),
    }
    const starts = prose.kind === "comments" ? matchesOf(first, refusedStarts) : []
    return [...matches, ...starts].map((match) => Object.assign(match, { path, kind: prose.kind }))
  })
}

/** @param {string} path */
function partOf(path) {
  return /^packages\/[^/]+|^[^/]+(?=\/)/.exec(path)?.[0] ?? "(top)"
}

/** @param {ReturnType<typeof findingsOf>} findings */
function countsOf(findings) {
  const kinds = /** @type {const} */ (["comments", "messages", "titles", "pages"])
  const parts = [...new Set(findings.map(({ path }) => partOf(path)))].toSorted()
  const header = ["refused", ...kinds, "", "doubtful", ...kinds]
  const rows = [...parts, "all"].map((part) => {
    const inPart = findings.filter(({ path }) => part === "all" || partOf(path) === part)
    const cells = [true, false].map((isRefused) =>
      kinds.map((kind) => {
        const isCounted = (/** @type {typeof findings[number]} */ finding) =>
          finding.kind === kind && (finding.instead !== undefined) === isRefused
        return String(inPart.filter(isCounted).length)
      }),
    )
    return [[part], cells[0] ?? [], ["", ""], cells[1] ?? []].flat()
  })
  return [header, ...rows].map(([part = "", ...cells]) =>
    [part.padEnd(24), ...cells.map((cell) => cell.padEnd(cell === "" ? 3 : 10))].join("").trimEnd(),
  )
}

/** @param {ReturnType<typeof findingsOf>} findings */
function listed(findings) {
  return findings.map(({ path, line, words, instead }) => {
    const hint = instead === undefined ? "" : ` (write: ${instead})`
    return `${path}:${line}: "${words}"${hint}`
  })
}

const [option = ""] = process.argv.slice(2)
const findings = filesOf("*.ts", "*.tsx", "*.js", "*.md").flatMap(findingsOf)
// Titles of tests follow the messages that they quote: only counted.
const errors = findings.filter(({ kind, instead }) => instead !== undefined && kind !== "titles")
const byPart = Map.groupBy(errors, ({ path }) => partOf(path))
/** Findings that a part may have until it is clean. @type {Record<string, number>} */
const pending = JSON.parse(readFileSync(pendingFile, "utf8"))
const excess = [...byPart].filter(([part, { length }]) => length > (pending[part] ?? 0))
const lines = []
if (option === "--count") lines.push(...countsOf(findings))
else if (option === "--write") {
  const shorter = Object.entries(pending).flatMap(([part, limit]) => {
    const count = Math.min(limit, byPart.get(part)?.length ?? 0)
    return count === 0 ? [] : [[part, count]]
  })
  writeFileSync(pendingFile, `${JSON.stringify(Object.fromEntries(shorter), undefined, 2)}\n`)
} else if (option !== "") {
  lines.push(...listed(findings.filter(({ path }) => path.startsWith(option))))
} else {
  for (const [part, inPart] of excess) {
    const limit = pending[part] ?? 0
    lines.push(...(limit === 0 ? listed(inPart) : []))
    lines.push(
      `${part}: ${inPart.length} findings, at most ${limit}: node .ci/prose.js PATH lists them`,
    )
  }
  const doubts = findings.filter(({ instead }) => instead === undefined)
  lines.push(
    `${errors.length} findings in parts that are not clean yet, ${doubts.length} doubtful ones`,
  )
  if (excess.length > 0) process.exitCode = 1
}
process.stdout.write(lines.map((line) => `${line}\n`).join(""))
