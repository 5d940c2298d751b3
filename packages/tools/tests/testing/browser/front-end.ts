import { frontEndFile } from "../../../../../examples/front-end/serve.ts"
import type { TestStack } from "../stacks/test-stacks.ts"

/** A front end as its author would write it: a page that signs in to an API on another origin. */
export function frontEndPage(api: string) {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Front end</title>
<style>body{font:16px system-ui;margin:3rem;max-width:26rem}label,button{display:block;margin:.5rem 0}</style></head>
<body><h1>Front end</h1><p role="status"></p>
<form><label>E-mail <input name="email" type="email" required></label>
<label>Password <input name="password" type="password" required></label>
<button name="act" value="sign-up">Sign up</button><button name="act" value="sign-in">Sign in</button></form>
<button id="out">Sign out</button>
<script type="module">
const call = (path, body) => fetch(${JSON.stringify(api)} + "/api/auth/" + path, { credentials: "include",
  ...(body && { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) }) })
const show = async () => {
  const session = await (await call("get-session")).json()
  document.querySelector("[role=status]").textContent =
    session ? "Signed in as " + session.user.email : "Signed out"
}
document.querySelector("form").addEventListener("submit", async (event) => {
  event.preventDefault()
  const { email, password } = Object.fromEntries(new FormData(event.target))
  const signUp = event.submitter.value === "sign-up"
  await call(event.submitter.value + "/email", { email, password, ...(signUp && { name: "Ada" }) })
  await show()
})
document.querySelector("#out").addEventListener("click", async () => {
  await call("sign-out", {})
  await show()
})
await show()
</script></body></html>`
}

type Deployed = { service: string; name: string; hostnames: string[] }

/** Deploys the page as a separate Worker, on custom domains and on its workers.dev name. */
export async function deployFrontEnd(
  stack: Pick<TestStack, "account">,
  { service, ...deployed }: Deployed,
): Promise<void> {
  const body = frontEndPage(service)
  await deployFiles(stack, { "/": { type: "text/html", body } }, deployed)
}

/** The same of `examples/front-end`, whose site has no form of its own. */
export async function deployExample(
  stack: Pick<TestStack, "account">,
  { service, ...deployed }: Deployed,
): Promise<void> {
  const paths = ["/with-pages", "/with-pages.js"]
  const files = await Promise.all(
    paths.map(async (path) => [path, await frontEndFile(path, service)] as const),
  )
  await deployFiles(stack, Object.fromEntries(files), deployed)
}

type Files = Record<string, { type: string; body: string }>

/** The first of them is for every other path. */
async function deployFiles(
  { account }: Pick<TestStack, "account">,
  files: Files,
  { name, hostnames }: Omit<Deployed, "service">,
) {
  const code = `const files = ${JSON.stringify(files)}
    export default { fetch: ({ url }) => {
      const { type, body } = files[new URL(url).pathname] ?? Object.values(files)[0]
      return new Response(body, { headers: { "content-type": type + "; charset=utf-8" } })
    } }`
  const version = await account.upload(await account.createWorker(name), code)
  await account.deploy(name, { [version]: 100 })
  for (const hostname of hostnames) await account.attachDomain(name, hostname)
}
