import { writeFileSync } from "node:fs"
import { join } from "node:path"

import { root } from "../base/root.ts"
import { renderEnvironments } from "../environment/effective/rendered.ts"
import { stackFileSchema } from "../environment/stack-schema.ts"
import { environmentsDirectory } from "../environment/subject.ts"
import { rulesPage, bindingsPage } from "./pages.ts"

// `npm run fix` runs this. Tests compare the files with the code that they derive from.
const schema = `${JSON.stringify(stackFileSchema(), undefined, 2)}\n`
writeFileSync(join(root, "environments", "stack.schema.json"), schema)
writeFileSync(join(root, "docs", "bindings.md"), bindingsPage())
writeFileSync(join(root, "docs", "environment-rules.md"), rulesPage())
for (const { path, text } of await renderEnvironments(environmentsDirectory)) {
  if (text !== undefined) writeFileSync(path, text)
}
