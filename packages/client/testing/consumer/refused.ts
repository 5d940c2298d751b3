import { type Client, createClient, type Failure } from "@accounts-stack/client"

/* Requests that the service would reject. Each line compiles only because it has an error. */

export async function refused(client: Client) {
  // @ts-expect-error -- a name is required
  await client.auth.signUpEmail({ email: "ada@example.com", password: "a good long password" })
  // @ts-expect-error -- the role is not for the caller to choose
  await client.auth.signUpEmail({ name: "A", email: "a@b.co", password: "12345678", role: "owner" })
  // @ts-expect-error -- a limit is a number
  await client.user.listSecurityEvents({ limit: "all" })
  // @ts-expect-error -- which member?
  await client.admin.readMember()
  // @ts-expect-error -- getProfile takes nothing
  await client.user.getProfile({ id: "user_1" })
  // @ts-expect-error -- there is no such role
  await client.admin.changeRole({ userId: "user_1", role: "moderator" })
  // @ts-expect-error -- null is an open end, and leaving it out is neither
  await client.admin.grantPremium({ userId: "user_1" })
  // @ts-expect-error -- the service has no such route
  await client.auth.updateUser({ name: "Ada" })
  // @ts-expect-error -- nor this one
  await client.auth.signIn({ provider: "idp" })
  // @ts-expect-error -- a token for which service?
  await client.token.createToken()
  // @ts-expect-error -- services ask for the keys, without a client
  await client.token.getTokenKeys()
  // @ts-expect-error -- which provider?
  client.auth.signInWithProvider({})
  // @ts-expect-error -- where is the service?
  createClient({})
}

export async function unchecked(client: Client) {
  const { data, error } = await client.admin.readMember({ userId: "user_1" })
  // @ts-expect-error -- there is no data before the error has been ruled out
  void data.profile
  // @ts-expect-error -- readMember cannot exceed a plan
  if (error?.code === "PLAN_LIMIT_REACHED") return
  // @ts-expect-error -- only an invalid input has issues
  if (error?.code === "NOT_FOUND") void error.issues
  // @ts-expect-error -- only a limit has a time to retry after
  if (error?.code === "NOT_FOUND") void error.retryAfter
}

/** Does not compile if the description gets a code more: a front end learns of it. */
export function explain(error: Failure<"readMember">): string {
  switch (error.code) {
    case "BAD_REQUEST":
      return error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("\n")
    case "TOO_MANY_REQUESTS":
      return `Try again in ${error.retryAfter ?? 60} seconds`
    case "UNEXPECTED_ANSWER":
      return `The service answered ${error.status}`
    case "STEP_UP_REQUIRED":
      return `Show again that it is you: ${error.ways.join(", ")}`
    case "SECOND_FACTOR_MISSING":
      return error.ways.length === 0 ? "Turn one on" : `Show it: ${error.ways.join(", ")}`
    case "NOT_FOUND":
    case "FORBIDDEN":
    case "UNAUTHORIZED":
    case "INVALID_ORIGIN":
    case "MISSING_OR_NULL_ORIGIN":
    case "INTERNAL_SERVER_ERROR":
    case "SERVICE_MISCONFIGURED":
    case "SESSION_CHANGED":
    case "ABORTED":
    case "UNAVAILABLE":
    case "UNREACHABLE":
      return error.message
    default:
      return error satisfies never
  }
}
