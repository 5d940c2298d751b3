import { binding } from "./binding.ts"
import { any, boolean, type Fields, list, map, number, object, set, string } from "./property.ts"
import { placement } from "./worker.ts"

function strings(rules = {}) {
  return list("optional", string("required"), rules)
}

const renamedClass = object("required", { from: string("optional"), to: string("optional") })
const transferredClass = object("required", {
  from: string("optional"),
  fromScript: string("optional"),
  to: string("optional"),
})

const migrationStep: Fields = {
  deletedClasses: strings(),
  newClasses: strings(),
  newSqliteClasses: strings(),
  renamedClasses: list("optional", renamedClass),
  transferredClasses: list("optional", transferredClass),
}

const migrations: Fields = {
  ...migrationStep,
  newTag: string("optional"),
  oldTag: string("optional"),
  steps: list("optional", object("required", migrationStep)),
}

const assets: Fields = {
  assetManifestSha256: string("computed", { json: false }),
  config: object("optional", {
    basePath: string("either", { default: "/" }),
    htmlHandling: string("optional", {
      oneOf: ["auto-trailing-slash", "force-trailing-slash", "drop-trailing-slash", "none"],
    }),
    notFoundHandling: string("optional", {
      oneOf: ["none", "404-page", "single-page-application"],
    }),
    runWorkerFirst: any("optional"),
  }),
  directory: string("optional", { json: false }),
  jwt: string("optional", { secret: true }),
}

const versionExport: Fields = {
  cache: object("optional", { enabled: boolean("required") }),
  renamedTo: string("optional"),
  state: string("optional", {
    oneOf: ["created", "deleted", "renamed", "transferred", "expecting-transfer"],
  }),
  storage: string("optional", { oneOf: ["sqlite", "legacy-kv"] }),
  transferFrom: string("optional"),
  transferredTo: string("optional"),
  type: string("required", { oneOf: ["worker", "durable-object"] }),
}

function reconciled(...names: string[]) {
  return list(
    "computed",
    object("computed", Object.fromEntries(names.map((name) => [name, string("computed")]))),
  )
}

function computedStrings(rules = {}) {
  return list("computed", string("computed"), rules)
}

const exportsReconciliation: Fields = {
  createds: computedStrings({ json: "created" }),
  deleteds: computedStrings({ json: "deleted" }),
  infos: list(
    "computed",
    object("computed", {
      class: string("computed"),
      message: string("computed"),
      namespaceId: string("computed"),
      referencingScripts: computedStrings(),
      scenario: string("computed"),
    }),
    { json: "info" },
  ),
  removableEntries: computedStrings(),
  renameds: { ...reconciled("from", "to"), json: "renamed" },
  transferPendings: { ...reconciled("class", "from"), json: "transfer_pending" },
  transferreds: { ...reconciled("class", "phase", "to"), json: "transferred" },
  updateds: computedStrings({ json: "updated" }),
  warnings: reconciled("class", "message", "namespaceId", "scenario"),
}

export const workerVersion: Fields = {
  accountId: string("required", { replace: "always", where: "path" }),
  annotations: object(
    "either",
    {
      workersMessage: string("optional", { json: "workers/message" }),
      workersTag: string("optional", { json: "workers/tag" }),
      workersTriggeredBy: string("computed", { json: "workers/triggered_by" }),
    },
    { replace: "configured" },
  ),
  assets: object("optional", assets, { replace: "configured", writeOnly: true }),
  authorEmail: string("computed"),
  authorId: string("computed"),
  bindings: list("optional", object("required", binding), { replace: "bindings" }),
  cacheOptions: object(
    "either",
    {
      crossVersionCache: boolean("either", { default: false }),
      enabled: boolean("either", { default: false }),
    },
    { replace: "configured" },
  ),
  compatibilityDate: string("optional", { replace: "always" }),
  compatibilityFlags: set("either", string("required"), { replace: "configured" }),
  containers: set("optional", object("required", { className: string("required") }), {
    replace: "always",
  }),
  createdOn: string("computed", { stable: true }),
  deploy: boolean("optional", { replace: "always", where: "query" }),
  exports: map("optional", object("required", versionExport), { replace: "always" }),
  exportsReconciliation: object("computed", exportsReconciliation),
  include: string("optional", { replace: "always", where: "query", oneOf: ["modules"] }),
  limits: object(
    "either",
    { cpuMs: number("optional"), subrequests: number("optional") },
    { replace: "configured" },
  ),
  mainModule: string("optional", { replace: "always" }),
  mainScriptBase64: string("computed"),
  migrationTag: string("computed"),
  migrations: object("optional", migrations, { replace: "always", writeOnly: true }),
  modules: set(
    "optional",
    object("required", {
      contentBase64: string("optional"),
      contentFile: string("optional", { json: false }),
      contentSha256: string("computed", { json: false, replace: "always" }),
      contentType: string("required", { replace: "always" }),
      name: string("required", { replace: "always" }),
    }),
  ),
  number: number("computed"),
  packageDependencies: list(
    "optional",
    object("required", {
      installedVersion: string("required", { json: "installedVersion" }),
      name: string("required"),
      packageJsonVersion: string("required", { json: "packageJsonVersion" }),
    }),
    { replace: "always" },
  ),
  placement: object("optional", placement, { replace: "always" }),
  source: string("computed"),
  startupTimeMs: number("computed"),
  urls: computedStrings(),
  usageModel: string("either", {
    replace: "configured",
    default: "standard",
    oneOf: ["standard", "bundled", "unbound"],
  }),
  workerId: string("required", { replace: "always", where: "path" }),
}
