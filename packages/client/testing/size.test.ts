import { join } from "node:path"
import { gzipSync } from "node:zlib"

import { build } from "esbuild"
import { expect, test } from "vitest"

test("the client is 3.1 KiB gzipped at most, whatever of it a page uses", async () => {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, "../src/index.ts")],
    bundle: true,
    minify: true,
    format: "esm",
    write: false,
  })
  const [file] = outputFiles
  expect(gzipSync(file?.contents ?? "", { level: 9 }).length).toBeLessThanOrEqual(3.1 * 1024)
})
