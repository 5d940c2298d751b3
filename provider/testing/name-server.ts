import { createSocket } from "node:dgram"

import dnsPacket from "dns-packet"

/** Records by type and name, such as `A api.example.test`; they may change at any time. */
export type Records = Map<string, dnsPacket.Answer[]>

/** How a question such as `AAAA api.example.test` fails, if it does: RFC 1035, 4.1.1. */
export type Failing = (question: string) => "SERVFAIL" | "REFUSED" | "silence" | undefined

const failureCodes = { SERVFAIL: 2, REFUSED: 5 }

/** A DNS server on a loopback port, authoritative for whatever it is asked. */
export async function startNameServer(records: Records, failing: Failing = () => undefined) {
  const asked: string[] = []
  const socket = createSocket("udp4")
  socket.on("message", (message, { port, address }) => {
    const { id, questions = [] } = dnsPacket.decode(message)
    const [question] = questions
    const name = question?.name.toLowerCase() ?? ""
    asked.push(`${question?.type} ${name}`)
    const failure = failing(`${question?.type} ${name}`)
    if (failure === "silence") return
    const answers = records.get(`${question?.type} ${name}`) ?? records.get(`CNAME ${name}`) ?? []
    const known = [...records.keys()].some((key) => key.endsWith(` ${name}`))
    const noSuchName = 3
    const code = failure === undefined ? Number(!known) * noSuchName : failureCodes[failure]
    const flags = dnsPacket.AUTHORITATIVE_ANSWER | code
    const response = { type: "response" as const, id: id ?? 0, flags, questions, answers }
    socket.send(dnsPacket.encode(response), port, address)
  })
  await new Promise<void>((listening) => socket.bind(0, "127.0.0.1", listening))
  const stop = async () => new Promise<void>((closed) => socket.close(() => closed()))
  let stopped: Promise<void> | undefined
  return {
    /** Every question, in order. */
    asked,
    port: socket.address().port,
    async [Symbol.asyncDispose]() {
      await (stopped ??= stop())
    },
  }
}
