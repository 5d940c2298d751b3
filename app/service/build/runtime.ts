/** What workerd behaves like wherever the Worker runs: deployed, under test, in a benchmark. */
export const compatibilityDate = "2026-08-01"
export const compatibilityFlags = ["nodejs_compat"]
