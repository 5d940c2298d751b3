import { copyFileSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"

// A tarball has JavaScript, as Node runs no TypeScript below node_modules; the repository runs the
// sources. So `npm pack` finds a package.json that names what was built, and puts the other one back.
const original = ".package.json.kept"
const license = "LICENSE"

if (process.argv[2] === "restore") {
  renameSync(original, "package.json")
  rmSync(license)
} else {
  copyFileSync("package.json", original)
  copyFileSync(`../../${license}`, license)
  const {
    devDependencies: _,
    scripts: __,
    ...manifest
  } = JSON.parse(readFileSync(original, "utf8"))
  delete manifest.exports["./testing/*"]
  // Only here: in the repository everything runs on its own Node, whichever npm itself runs on.
  manifest.engines = { node: ">=24.16 <25 || >=26.1" }
  const manifestText = JSON.stringify(manifest, null, 2)
  const built = manifestText.replaceAll(/"\.\/(\S+)\.[jt]s"/g, '"./dist/$1.js"')
  writeFileSync("package.json", built)
}
