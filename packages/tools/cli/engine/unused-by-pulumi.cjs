/** Stands for a package that Pulumi loads to serialize functions. */
module.exports = new Proxy(
  {},
  {
    get(_, name) {
      if (name === "__esModule") return undefined
      throw new Error("infra/: the program cannot pass functions to resources")
    },
  },
)
