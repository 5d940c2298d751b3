import { serveRendered } from "./serve.ts"

/* The origin that `local` trusts (accounts:webOrigin), and where `npm start` serves the API. */
try {
  const { url } = await serveRendered(5173, () => ({ api: "http://localhost:8787" }))
  process.stdout.write(`${url}\n`)
} catch (error) {
  process.stderr.write(`${String(error)}\n`)
  process.exitCode = 1
}
