import { mkdir, mkdtempDisposable, symlink, writeFile } from "node:fs/promises"
import { hostname, tmpdir } from "node:os"
import { join } from "node:path"

import { expect, test } from "vitest"

import { thisMachine } from "./is-alive.ts"

test("two machines of one name, and two containers of one machine, are told apart", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "accounts-machine-"))
  const named = async (boot: string, namespace: string) => {
    const proc = join(folder.path, boot + namespace)
    await mkdir(join(proc, "self/ns"), { recursive: true })
    await mkdir(join(proc, "sys/kernel/random"), { recursive: true })
    await writeFile(join(proc, "sys/kernel/random/boot_id"), boot)
    await writeFile(join(proc, "self/ns", namespace), "")
    await symlink(namespace, join(proc, "self/ns/pid"))
    return thisMachine(proc)
  }
  const names = [
    await named("a", "pid:[1]"),
    await named("b", "pid:[1]"),
    await named("a", "pid:[2]"),
  ]
  expect(new Set(names).size).toBe(3)
  expect(thisMachine(join(folder.path, "no Linux"))).toMatch(`${hostname()}-`)
  expect(thisMachine()).toBe(thisMachine())
})
