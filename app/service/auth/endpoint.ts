import { createAuthEndpoint } from "better-auth/api"
import type { AuthMiddleware } from "better-auth/api"

import { bodies } from "./bodies.ts"

type Path = keyof typeof bodies
type Options<Of extends Path, Use extends AuthMiddleware[]> = {
  method: "POST"
  body: (typeof bodies)[Of]
  use: Use
}
type Handler<Of extends Path, Use extends AuthMiddleware[], Answer> = Parameters<
  typeof createAuthEndpoint<string, Options<Of, Use>, Answer>
>[1]

/** The endpoint of a path that takes a body, behind what `use` asks of a session. */
export function post<Of extends Path, Use extends AuthMiddleware[], Answer>(
  path: Of,
  use: Use,
  handler: Handler<Of, Use, Answer>,
) {
  return createAuthEndpoint(path, { method: "POST", body: bodies[path], use }, handler)
}
