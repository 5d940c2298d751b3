import { isFailure } from "../failure.ts"

/** Cloudflare's code; a 404 with another code means that the request went to the wrong host. */
export const noSuchWorker = 10_007

/** What Cloudflare answers of a Worker, or `otherwise` if there is none of that name. */
export async function unlessNoWorker<T, Otherwise>(
  answer: Promise<T>,
  otherwise: Otherwise,
): Promise<T | Otherwise> {
  try {
    return await answer
  } catch (error) {
    if (isFailure(error, "API_FAILED") && error.facts.code === noSuchWorker) return otherwise
    throw error
  }
}
