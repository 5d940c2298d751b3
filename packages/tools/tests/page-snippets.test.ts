import { readFileSync } from "node:fs"
import { join } from "node:path"

import ts from "typescript"
import { expect, test } from "vitest"

import { root } from "../base/root.ts"

/** What the snippets take from where they stand; React and Vue by the one function that each brings. */
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

/** What the compiler says of the snippet inside a function of a project that uses the client. */
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
  const shown = snippets()
  expect(shown).toHaveLength(3)
  for (const code of shown) {
    expect({ code, problems: problemsOf(code) }).toEqual({ code, problems: [] })
  }
  const [react = ""] = shown
  expect(problemsOf(react.replace("session.subscribe", "session.listen"))).toHaveLength(1)
})
