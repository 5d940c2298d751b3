import { readFileSync, existsSync, globSync } from "node:fs"
import { join, dirname } from "node:path"

import ts from "typescript"
import { expect, test } from "vitest"
import * as z from "zod"

import { weighBundle } from "../../../app/testing/bundle.ts"
import { root } from "../base/root.ts"

/** Declarations that the snippets expect around them; React and Vue only with the function that each uses. */
const around = `import type { Client } from "../../client/src/index.ts"
declare const accounts: Client
declare const api: string
declare const request: Request
declare function useSyncExternalStore<T>(subscribe: (changed: () => void) => () => void, get: () => T): T
declare function shallowRef<T>(value: T): { value: T }
declare function onScopeDispose(dispose: () => void): void
`

function snippets() {
  const text = readFileSync(join(root, "docs/pages.md"), "utf8")
  return [...text.matchAll(/^```tsx?\n([^]*?)^```$/gm)].map(([, code = ""]) => code)
}

/** Compiler errors of the snippet inside a function of a project that uses the client. */
function problemsOf(code: string) {
  const file = join(root, "packages/tools/tests/snippet.tsx")
  const source = `${around}export async function snippet() {\n${code}return undefined\n}\n`
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2024,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ["lib.es2024.d.ts", "lib.esnext.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
    types: [],
    jsx: ts.JsxEmit.ReactJSX,
    jsxImportSource: "hono/jsx",
  }
  const disk = ts.createCompilerHost(options)
  const host: ts.CompilerHost = {
    ...disk,
    fileExists: (name) => name === file || disk.fileExists(name),
    getSourceFile: (name, version) =>
      name === file
        ? ts.createSourceFile(name, source, version)
        : disk.getSourceFile(name, version),
  }
  const program = ts.createProgram([file], options, host)
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"))
}

test("what docs/pages.md shows of React, Vue and a server compiles with the client", () => {
  const examples = snippets()
  expect(examples).toHaveLength(3)
  for (const code of examples) {
    expect({ code, problems: problemsOf(code) }).toEqual({ code, problems: [] })
  }
  const [react = ""] = examples
  expect(problemsOf(react.replace("session.subscribe", "session.listen"))).toHaveLength(1)
})

const pages = globSync(["*.md", "*/*.md", "docs/**/*.md"], { cwd: root })

function textOf(page: string): string {
  return readFileSync(join(root, page), "utf8")
}

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(page: string): string[] {
  return [...textOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  )
}

test("every link of a page leads to a file and a heading that exist", () => {
  const links = pages.flatMap((page) =>
    [...textOf(page).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)].map(
      ([, path = "", anchor]) => ({
        page,
        target: path === "" ? page : join(dirname(page), path),
        anchor,
      }),
    ),
  )
  expect(links.length).toBeGreaterThan(50)
  const broken = links.filter(
    ({ target, anchor }) =>
      !existsSync(join(root, target)) ||
      (anchor !== undefined && !anchorsOf(target).includes(anchor)),
  )
  expect(broken).toEqual([])
})

test("every page of docs/ can be reached from the README", () => {
  const topPages = pages.filter((page) => /^docs\/[\w-]+\.md$/.test(page))
  expect(topPages.filter((page) => !textOf("README.md").includes(`(${page})`))).toEqual([])
})

/** Without blocks of commands, which tests follow. */
const page = readFileSync(join(root, "docs/changing.md"), "utf8").replaceAll(
  /^```sh\n[^]*?^```$/gm,
  "",
)
const code = [...page.matchAll(/`([^`]+)`/g)].map(([, text = ""]) => text)

test("every path in docs/changing.md exists", () => {
  const paths = code.filter((text) => /^[\w<>./-]+$/.test(text) && /\/|\.\w+$/.test(text))
  expect(paths.length).toBeGreaterThan(50)
  for (const path of paths) {
    // A placeholder such as `<noun>` stands for any name: at least one file must fit.
    const pattern = path.replaceAll(/<\w+>/g, "*")
    expect([path, globSync(pattern, { cwd: root }).length > 0]).toEqual([path, true])
  }
})

test("every script in docs/changing.md exists", () => {
  const Manifest = z.object({ scripts: z.record(z.string(), z.string()) })
  const { scripts } = Manifest.parse(JSON.parse(readFileSync(join(root, "package.json"), "utf8")))
  const scriptNames = code.flatMap((text) => /^npm (?:run )?(\w+)$/.exec(text)?.[1] ?? [])
  expect(scriptNames).toContain("migration")
  for (const name of scriptNames) expect(Object.keys(scripts)).toContain(name)
})

test("no recipe in docs/changing.md exceeds ten lines", () => {
  const [, ...recipes] = page.split(/^## /m)
  expect(recipes.length).toBeGreaterThan(8)
  for (const recipe of recipes) {
    const [title, ...lines] = recipe.split("\n").filter((line) => line.trim() !== "")
    expect([title, lines.length <= 10]).toEqual([title, true])
  }
})

const specification = readFileSync(join(root, "docs/specification.md"), "utf8")

/** Below the name of a file, the titles of its tests, in some after what the specification asks for. */
const specificationRows = [...specification.matchAll(/^`([\w/-]+)`\n\n((?:- .*\n)+)/gm)].flatMap(
  ([, file = "", titles = ""]) =>
    [...titles.matchAll(/^- (?:_.*_: )?(.*)$/gm)].map(([, title = ""]) => ({ file, title })),
)

test("docs/specification.md names tests", () => {
  expect(specificationRows.length).toBeGreaterThan(100)
})

test.each(specificationRows)(
  "docs/specification.md: $file has the test $title",
  ({ file, title }) => {
    const paths = ["", ".long"].map((long) => join(root, "app", `${file}${long}.workers.test.ts`))
    const path = paths.find((each) => existsSync(each))
    const text = path === undefined ? "" : readFileSync(path, "utf8")
    expect(text.includes(`"${title}"`)).toBe(true)
  },
)

const assumptions = readFileSync(join(root, "docs/assumptions.md"), "utf8")

const rows = assumptions
  .split("\n")
  .map((line) => line.split("|").map((cell) => cell.trim().replaceAll("`", "")))
  .flatMap(([, assumed = "", , doubt = "", file = "", title = ""]) =>
    file.includes("/") ? [{ assumed, doubt, file, title }] : [],
  )

test("every row of docs/assumptions.md names a test that exists, and a doubt that can be raised", () => {
  expect(rows.length).toBeGreaterThanOrEqual(10)
  const settings = readFileSync(join(root, "packages/local/faults/settings.ts"), "utf8")
  for (const { assumed, doubt, file, title } of rows) {
    const source = readFileSync(join(root, `${file}.test.ts`), "utf8")
    expect([assumed, source.includes(`"${title}"`)]).toEqual([assumed, true])
    expect([assumed, settings.includes(`  ${doubt}${doubt && ":"}`)]).toEqual([assumed, true])
  }
})

const bundlePage = readFileSync(join(import.meta.dirname, "../../../docs/bundle.md"), "utf8")

test("docs/bundle.md states the current size of the module and of its parts", async () => {
  const { minified, gzipped, parts } = await weighBundle()
  const [, statedMinified, statedGzipped] =
    /\*\*([\d.]+) KiB\*\* min\w+, \*\*([\d.]+) KiB/.exec(bundlePage) ?? []
  expect(
    Math.abs(Number(statedMinified) - minified),
    "npm run bench -- bundle --write",
  ).toBeLessThan(10)
  expect(Math.abs(Number(statedGzipped) - gzipped), "npm run bench -- bundle --write").toBeLessThan(
    4,
  )
  const large = parts.filter(([, kib]) => kib > 10)
  const weights = [...bundlePage.matchAll(/^\| (\S.*?) +\| +([\d.]+) +\| +\d+ % +\|$/gm)]
  const stated = new Map(weights.map(([, name, kib]) => [name, Number(kib)]))
  for (const [name, kib] of large) {
    const as = name === "app" ? "this service's own code" : name
    expect(
      Math.abs((stated.get(as) ?? 0) - kib),
      `${as}: npm run bench -- bundle --write`,
    ).toBeLessThan(5)
  }
})

test("a block to copy names every migration that it writes", () => {
  const blocks = pages.flatMap(
    (name) => readFileSync(join(root, name), "utf8").match(/^```sh\n[^]*?^```$/gm) ?? [],
  )
  const commands = blocks.flatMap((block) => block.match(/npm run migration\b.*/g) ?? [])
  expect(commands.length).toBeGreaterThan(0)
  for (const command of commands) {
    expect(command).toMatch(/^npm run migration -- (?:--custom )?--name \w+/)
  }
})
