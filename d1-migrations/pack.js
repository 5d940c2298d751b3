import { copyFileSync, readFileSync, renameSync, writeFileSync } from "node:fs"

// A tarball has JavaScript, as Node runs no TypeScript below node_modules; the repository runs the
// sources. So `npm pack` finds a package.json that names what was built, and puts the other one back.
const kept = "dist/package.json"

if (process.argv[2] === "restore") renameSync(kept, "package.json")
else {
  copyFileSync("package.json", kept)
  const { devDependencies: _, scripts: __, ...manifest } = JSON.parse(readFileSync(kept, "utf8"))
  const built = Object.entries(manifest.exports)
    .filter(([entry]) => !entry.includes("testing"))
    .map(([entry, path]) => {
      const file = path.replace(/^\./, "./dist").replace(/\.ts$/, "")
      return [entry, { types: `${file}.d.ts`, default: `${file}.js` }]
    })
  writeFileSync(
    "package.json",
    JSON.stringify({ ...manifest, exports: Object.fromEntries(built) }, null, 2),
  )
}
