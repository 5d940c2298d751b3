import { readFileSync } from "node:fs"
import { join } from "node:path"

import ts from "typescript"
import { expect, test } from "vitest"

const folder = join(import.meta.dirname, "..")

test("what the page says of passkeys and of codes compiles against the client, as in a front end", () => {
  const page = readFileSync(join(folder, "README.md"), "utf8")
  const sections = [
    ...page.matchAll(/^## (?:Passkeys|One-time codes of an app)\n+```ts\n(.*?)^```/gms),
  ]
  const block = sections.map(([, text]) => text).join("\n")
  const frontEnd = join(import.meta.dirname, "front-end-of-the-page.ts")
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    target: ts.ScriptTarget.ES2023,
    lib: ["lib.es2023.d.ts", "lib.dom.d.ts"],
    types: [],
    paths: { "@accounts-stack/client": [join(folder, "src/index.ts")] },
  }
  const text = `import { createClient } from "@accounts-stack/client"
const accounts = createClient({ url: "https://api.example.com" })
${block}
void [addPasskey, signInWithPasskey, beginApp, turnOnApp, signInWithApp]`
  const disk = ts.createCompilerHost(options)
  const host: ts.CompilerHost = {
    ...disk,
    fileExists: (name) => name === frontEnd || disk.fileExists(name),
    getSourceFile: (name, language) =>
      name === frontEnd
        ? ts.createSourceFile(name, text, language)
        : disk.getSourceFile(name, language),
  }
  const program = ts.createProgram([frontEnd], options, host)
  const messages = ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, " "))
  expect(sections).toHaveLength(2)
  expect(block).toContain("toJSON()")
  expect(messages).toEqual([])
})
