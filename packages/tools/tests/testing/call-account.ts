import * as z from "zod"

type Account = { api: string; token: string }

type Call = { method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"; path: string; body?: unknown }

const Answer = z.object({
  success: z.literal(true),
  result: z.unknown().optional(),
  result_info: z.object({ total_pages: z.number().optional() }).nullish(),
})

/**
 * Calls Cloudflare's API without a client of this project, so that none of its code is trusted. The official SDK
 * takes half a second to load, in each process.
 */
export async function callAccount<Result>(
  account: Account,
  call: Call,
  Result: z.ZodType<Result>,
): Promise<Result> {
  return Result.parse((await send(account, call)).result)
}

/** Every object of a list, whatever its pages. */
export async function listAccount<One>(
  account: Account,
  path: string,
  One: z.ZodType<One>,
): Promise<One[]> {
  const items: One[] = []
  for (let page = 1; ; page += 1) {
    const next = page === 1 ? path : `${path}${path.includes("?") ? "&" : "?"}page=${page}`
    const { result, result_info: pages } = await send(account, { path: next })
    items.push(...z.array(One).parse(result))
    if (page >= (pages?.total_pages ?? 1)) return items
  }
}

async function send({ api, token }: Account, { method = "GET", path, body }: Call) {
  const answer = await fetch(`${api}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
  return Answer.parse(JSON.parse(text))
}
