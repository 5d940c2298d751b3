import { requestService, type Answer, type Place } from "./service-request.ts"

const path = "/api/health"

/** @param input `timeout` in milliseconds, for connection, head and body together */
export function requestHealth(input: {
  place: Place
  headers: Record<string, string>
  timeout: number
}): Promise<Answer> {
  return requestService({ ...input, path })
}

export function healthUrl({ url }: Place): string {
  return new URL(path, url).href
}
