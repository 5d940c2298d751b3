// node --import usage.ts …: at its end a process writes its processor time (s) and most memory (MiB) to stderr.
process.on("exit", () => {
  const { user, system } = process.cpuUsage()
  const { maxRSS } = process.resourceUsage()
  process.stderr.write(
    `\n${JSON.stringify({ seconds: (user + system) / 1e6, mib: maxRSS / 1024 })}`,
  )
})
