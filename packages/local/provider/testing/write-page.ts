import { writeFileSync } from "node:fs"

import { providerPage } from "./page.ts"

// `npm run fix` runs this and formats the page. A test compares it with the table.
writeFileSync(new URL("../../../../docs/cloudflare-provider.md", import.meta.url), providerPage())
