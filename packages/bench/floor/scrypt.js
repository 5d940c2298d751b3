import { randomBytes, scrypt } from "node:crypto"

const cost = { N: 16_384, r: 16, p: 1, maxmem: 64 * 1024 * 1024 }

export default {
  async fetch() {
    const salt = randomBytes(16).toString("hex")
    await new Promise((resolve, reject) => {
      scrypt("a good long password", salt, 64, cost, (error, key) =>
        error ? reject(error) : resolve(key),
      )
    })
    return Response.json({ status: "ok" })
  },
}
