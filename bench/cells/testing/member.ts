import { Unanswered } from "../database.ts"
import type { Protocol, World } from "../protocol.ts"
import { readRows, type Action, type Place, type Rows } from "../statements.ts"

/** What must hold whatever happens. */
export type Invariant =
  | "no sign-in is lost"
  | "no address is taken twice"
  | "no write is lost"
  | "no write lands in a cell that the member has left"
  | "a session that has ended stays ended"
  | "a failing cell fails its own members only"
  | "a move leaves nothing behind"

export type Outcome = {
  began: number
  took: number
  isAnswered: boolean
  /** Where the member lived when the request began, and when it ended. */
  before: Place | undefined
  after: Place | undefined
}

export type Observer = {
  violated: (invariant: Invariant, about: string) => void
  requested: (outcome: Outcome) => void
}

type Session = { token: string; place: Place | undefined }

/** Somebody who signs up and then uses the service, and remembers what was promised. */
export class Member {
  readonly address: string
  /** Whether a sign-up or a sign-in was answered with a session. */
  isKnown = false
  readonly entries: string[] = []
  readonly #password: string
  readonly #world: World
  readonly #protocol: Protocol
  readonly #observer: Observer
  /** Of several browsers, some of which are seldom used. */
  #sessions: Session[] = []
  #ended: Session | undefined
  #names = 0

  constructor(
    address: string,
    password: string,
    by: { world: World; protocol: Protocol; observer: Observer },
  ) {
    this.address = address
    this.#password = password
    this.#world = by.world
    this.#protocol = by.protocol
    this.#observer = by.observer
  }

  /** Signs up, until it is known whose the address is. */
  async join() {
    for (;;) {
      const answer = await this.#request(() => this.#signUp())
      const isOwn = answer === "taken" ? await this.#request(() => this.#signIn()) : undefined
      if (this.isKnown || isOwn === false) return
      await this.#world.clock.sleep(1000)
    }
  }

  /** One request of any kind. */
  async act() {
    const [session, ended, choice] = [this.#sessions[0], this.#ended, this.#world.random()]
    // The browsers take turns, the latest more often.
    if (session !== undefined && choice > 0.4) this.#sessions.push(...this.#sessions.splice(0, 1))
    await this.#request(async () => {
      if (session === undefined || choice > 0.95) return this.#signIn()
      if (choice < 0.6) return this.#read(session)
      if (choice < 0.8) return this.#write(session)
      if (choice < 0.85) return this.#signOut(session)
      if (ended !== undefined) await this.#readAs(ended)
    }, session)
  }

  async #signUp() {
    const token = this.#name()
    const rows = { password: this.#password, sessions: [token], entries: [], revision: 0 }
    const { answer, place } = await this.#protocol.signUp(this.address, rows)
    if (answer === "welcome") this.#enter(token, place)
    return answer
  }

  async #signIn() {
    const isRight: Action<boolean> = (rows) => ({ answer: rows?.password === this.#password })
    const { answer, place } = await this.#visit("read", isRight)
    if (answer !== true) return this.isKnown && this.#violated("no sign-in is lost")
    const token = this.#name()
    const add: Action<boolean> = (rows) =>
      rows
        ? { answer: true, rows: { ...rows, sessions: [...rows.sessions, token] } }
        : { answer: false }
    this.#enter(token, (await this.#visit("write", add, place)).place)
  }

  #enter(token: string, place: Place | undefined) {
    this.isKnown = true
    this.#sessions = [{ token, place }, ...this.#sessions.slice(0, 2)]
  }

  async #read(session: Session) {
    const promised = [...this.entries]
    const { answer, place } = await this.#visit("read", readRows, session.place)
    session.place = place
    this.#expectSession(session, answer)
    const isThere = (entry: string) => answer?.entries.includes(entry) === true
    if (!promised.every(isThere)) this.#violated("no write is lost")
  }

  async #write(session: Session) {
    const entry = this.#name()
    const add: Action<Rows | undefined> = (rows) =>
      rows?.sessions.includes(session.token) === true
        ? { answer: rows, rows: { ...rows, entries: [...rows.entries, entry] } }
        : { answer: rows }
    const { answer, place } = await this.#visit("write", add, session.place)
    session.place = place
    this.#expectSession(session, answer)
    this.entries.push(entry)
  }

  async #signOut({ token, place }: Session) {
    this.#sessions = this.#sessions.filter((one) => one.token !== token)
    const remove: Action<boolean> = (rows) => {
      const sessions = rows?.sessions.filter((one) => one !== token) ?? []
      return { answer: true, ...(rows && { rows: { ...rows, sessions } }) }
    }
    await this.#visit("write", remove, place)
    // A thief's copy of the cookie still names the former place.
    this.#ended = { token, place }
  }

  async #readAs({ token, place }: Session) {
    const { answer } = await this.#visit("read", readRows, place)
    const isSignedIn = answer?.sessions.includes(token) === true
    if (isSignedIn) this.#violated("a session that has ended stays ended")
  }

  #expectSession({ token }: Session, rows: Rows | undefined) {
    if (rows?.sessions.includes(token) !== true) this.#violated("no sign-in is lost")
  }

  #visit<Answer>(kind: "read" | "write", action: Action<Answer>, place?: Place) {
    return this.#protocol.visit({ address: this.address, place, kind, action })
  }

  /** A failure is excused where the directory or a cell of the member's fails, or the network does. */
  async #request<Result>(action: () => Promise<Result>, session?: Session) {
    const { clock, directory, cells } = this.#world
    const home = () => directory.places.get(this.address)
    const [began, before] = [clock.now(), home()]
    const outcome = (isAnswered: boolean) =>
      this.#observer.requested({
        began,
        took: clock.now() - began,
        isAnswered,
        before,
        after: home(),
      })
    try {
      const result = await action()
      outcome(true)
      return result
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error
      outcome(false)
      const { database, reason } = error
      // A cell that the member has left keeps a fence, and the cookie may still name it.
      const isOwn =
        database === directory.database ||
        database === home()?.cell.database ||
        cells.some((cell) => cell.database === database && cell.residences.has(this.address))
      const isExcused = isOwn && (reason === "lost" || database.hasSuffered(began))
      if (!isExcused) this.#violated("a failing cell fails its own members only")
      // Whatever the cookie has named, the next request asks the directory.
      if (session !== undefined) session.place = undefined
      return undefined
    }
  }

  #violated(invariant: Invariant) {
    this.#observer.violated(invariant, this.address)
  }

  #name() {
    this.#names += 1
    return `${this.#password}-${this.#names}`
  }
}
