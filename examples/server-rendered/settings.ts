export type Settings = {
  /** Origin of the service. */
  api: string
  /** FRONT_END_KEY of its environment. */
  key?: string
  /** Replaces the global `fetch`. */
  fetch?: typeof fetch
}

/** Answers a request of the reader with the address, which the network says. */
export type Handle = (
  request: Request,
  address: string | null,
  settings: Settings,
) => Promise<Response>
