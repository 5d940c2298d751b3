// Rules of docs/style.md that no ready-made rule holds.

import { dirname, join, relative } from "node:path"

import { analyse } from "scslre"

/** @param {any} program */
function* topLevelConstants(program) {
  for (const statement of program.body) {
    const declaration =
      statement.type === "ExportNamedDeclaration" ? statement.declaration : statement
    if (declaration?.type === "VariableDeclaration" && !declaration.declare) {
      yield* declaration.declarations
    }
  }
}

const topLevelFunction = {
  /** @param {any} context */
  create: (context) => ({
    /** @param {any} program */
    Program(program) {
      for (const { id, init } of topLevelConstants(program)) {
        if (init?.type !== "ArrowFunctionExpression" || id.typeAnnotation) continue
        context.report({ node: id, message: `Declare it: function ${id.name}(…) { … }` })
      }
    },
  }),
}

const constantName = {
  /** @param {any} context */
  create: (context) => ({
    /** @param {any} program */
    Program(program) {
      for (const { id } of topLevelConstants(program)) {
        const screams = /^[A-Z][A-Z0-9]*_[A-Z0-9_]*$|^[A-Z]{3,}$/.test(id.name ?? "")
        if (!screams) continue
        context.report({ node: id, message: "A constant is named like any other value: camelCase" })
      }
    },
  }),
}

const plainProperty = {
  /** @param {any} context */
  create: (context) => ({
    /** @param {any} node */
    TSPropertySignature(node) {
      if (!node.readonly) return
      context.report({ node, message: "Types are written without readonly; class fields have it" })
    },
  }),
}

const flatTest = {
  /** @param {any} context */
  create: (context) => ({
    /** @param {any} node */
    CallExpression(node) {
      if (!context.filename.endsWith(".test.ts")) return
      if (!["describe", "it"].includes(node.callee.name)) return
      context.report({ node: node.callee, message: 'Write a flat test("claim", …)' })
    },
  }),
}

const serviceAsData = {
  /** @param {any} context */
  create: (context) => {
    /** @param {any} node @param {unknown} text */
    function check(node, text) {
      if (!String(text).includes("/api/v1/")) return
      context.report({ node, message: "A path of the service comes from infra/project.ts" })
    }
    return {
      /** @param {any} node */
      Literal: (node) => check(node, node.value),
      /** @param {any} node */
      TemplateElement: (node) => check(node, node.value.raw),
    }
  },
}

/** @param {string} folder */
function inLocal(folder) {
  return `packages/local/${folder}`
}

/** Folders of the service; each may import those below it. */
const service = [
  "routes",
  "sweep",
  "admin",
  "account",
  "sign-in",
  "session",
  "guard",
  "openapi",
  "platform",
].map((folder) => `app/service/${folder}`)

/** The service and features import types alone from these registries. */
const typesOfRegistries = new Set(["app/services.ts", "app/bindings.ts", "app/letters.ts"])

/**
 * The folders and packages that each folder may import; the longest folder that contains a file applies. A
 * package is imported by its name. docs/style.md has the same table.
 * @type {Record<string, string[]>}
 */
const borders = {
  app: [],
  ...Object.fromEntries(service.map((folder, at) => [folder, service.slice(at + 1)])),
  "app/service": service,
  // A front end of the service, in the same Worker.
  "app/pages": ["app", "packages/client"],
  infra: ["app", "@accounts-stack/tools"],
  "infra/index.ts": ["infra", "@accounts-stack/tools"],
  "packages/tools": [
    "@accounts-stack/d1-migrations",
    "@accounts-stack/local",
    "@accounts-stack/pulumi-host",
  ],
  // Down only: cli, operate, deploy, environment, base.
  "packages/tools/base": ["packages/tools/package.json"],
  "packages/tools/environment": ["packages/tools/base", "@accounts-stack/d1-migrations"],
  "packages/tools/deploy": [
    "packages/tools/base",
    "packages/tools/environment",
    "@accounts-stack/d1-migrations",
    "@accounts-stack/pulumi-host",
  ],
  "packages/tools/operate": [
    "packages/tools/base",
    "packages/tools/environment",
    "packages/tools/deploy",
    "@accounts-stack/d1-migrations",
  ],
  "packages/d1-migrations": [],
  "packages/local": ["@accounts-stack/pulumi-host"],
  // Down only: cloudflare, api, edge, faults, log, plane. All of them, and the sandboxes, over state and daemon.
  "packages/local/api": ["edge", "faults", "log", "plane", "state", "daemon"].map(inLocal),
  "packages/local/edge": ["faults", "log", "plane", "state", "daemon"].map(inLocal),
  "packages/local/faults": ["log", "plane", "state"].map(inLocal),
  "packages/local/log": ["plane"].map(inLocal),
  "packages/local/plane": [],
  "packages/local/sandbox": ["state", "daemon"].map(inLocal),
  "packages/local/state": ["daemon"].map(inLocal),
  "packages/local/daemon": [],
  "packages/local/provider": [inLocal("daemon/node-version.js"), "@accounts-stack/pulumi-host"],
  "packages/pulumi-host": [],
  "packages/client": [],
  "packages/bench": ["app", "infra", "packages/tools", "@accounts-stack"],
  examples: ["@accounts-stack/client"],
}

/**
 * The imports that tests and their helpers may add; those of app/, tools and bench may import everything.
 */
const bordersOfTests = {
  "packages/pulumi-host": [],
  "packages/d1-migrations": ["@accounts-stack"],
  "packages/local": ["packages/local"],
  "packages/client": ["@accounts-stack/client"],
  examples: [],
}

/** @param {string} path @param {string} folder */
function isIn(path, folder) {
  return path === folder || path.startsWith(`${folder}/`)
}

const border = {
  /** @param {any} context */
  create(context) {
    const from = relative(process.cwd(), context.filename)
    const folders = Object.keys(borders)
      .filter((folder) => isIn(from, folder))
      .toSorted((a, b) => b.length - a.length)
    const [folder = ""] = folders
    const top = folders.at(-1) ?? ""
    if (folder === "") return {}
    const isTest = /\.test\.ts$|\/testing\/|\/tests\/|\.config\.ts$/.test(from)
    const forTests = Object.entries(bordersOfTests).find(([path]) => path === top)?.[1]
    if (isTest && forTests === undefined) return {}
    const allowed = [...(borders[folder] ?? []), ...(isTest ? (forTests ?? []) : [])]
    /** @param {any} node */
    const check = (node) => {
      const path = node.source?.value
      if (typeof path !== "string" || !/^\.|^@accounts-stack\//.test(path)) return
      const to = path.startsWith(".") ? join(dirname(from), path) : path
      const isOfRegistry = top === "app" && typesOfRegistries.has(to)
      if (isOfRegistry && node.importKind === "type") return
      if (folder === "app" && dirname(from) !== "app" && dirname(to) === "app") {
        context.report({ node, message: "A feature imports of the registries types alone" })
      }
      if (isIn(to, folder) || allowed.some((part) => isIn(to, part))) return
      const names = allowed.length === 0 ? "nothing else" : `beside itself ${allowed.join(", ")}`
      context.report({ node, message: `${folder}/ may import ${names}` })
    }
    return {
      ImportDeclaration: check,
      ImportExpression: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
    }
  },
}

/** Code that reads texts of strangers needs it: 80 KB of blanks in a header took ten seconds. */
const linearPattern = {
  /** @param {any} context */
  create: (context) => ({
    /** @param {any} node */
    Literal(node) {
      if (!node.regex) return
      const { pattern: source, flags } = node.regex
      if (analyse({ source, flags }).reports.length === 0) return
      const message = "Its time grows with the square of the text: let no two parts take the same"
      context.report({ node, message })
    },
  }),
}

/** They say nothing of what is in the variable; `left` is fine beside `right`. */
const vagueNames = new Set(
  (
    "one found known some other others given asked held said made shown left kept none former told " +
    "taken gone begun ended wanted tried again both there what was own same more all sent seen named " +
    "answered entered"
  ).split(" "),
)

/**
 * The names that a pattern binds. Not that of `{ found }`, which is a property: name that first.
 *
 * @param {any} pattern
 * @returns {Generator<any>}
 */
function* namesIn(pattern) {
  if (pattern?.type === "Identifier") yield pattern
  if (pattern?.type === "AssignmentPattern") yield* namesIn(pattern.left)
  if (pattern?.type === "RestElement") yield* namesIn(pattern.argument)
  if (pattern?.type === "TSParameterProperty") yield* namesIn(pattern.parameter)
  for (const element of pattern?.elements ?? []) yield* namesIn(element)
  for (const property of pattern?.properties ?? []) {
    if (property.type === "RestElement") yield* namesIn(property)
    else if (!property.shorthand) yield* namesIn(property.value)
  }
}

const vagueName = {
  /** @param {any} context */
  create(context) {
    /** @param {any[]} patterns */
    function check(patterns) {
      const ids = patterns.flatMap((pattern) => [...namesIn(pattern)])
      const hasRight = ids.some(({ name }) => name === "right")
      for (const node of ids) {
        if (!vagueNames.has(node.name) || (node.name === "left" && hasRight)) continue
        const message = `Name what it holds (\`column\`, \`session\`), not ${node.name}`
        context.report({ node, message })
      }
    }
    /** @param {any} node */
    const checkParameters = (node) => check(node.params)
    return {
      FunctionDeclaration: checkParameters,
      FunctionExpression: checkParameters,
      ArrowFunctionExpression: checkParameters,
      /** @param {any} node */
      VariableDeclaration(node) {
        check(node.declarations.map((/** @type {any} */ declaration) => declaration.id))
      },
    }
  },
}

export default {
  meta: { name: "house" },
  rules: {
    "top-level-function": topLevelFunction,
    "constant-name": constantName,
    "plain-property": plainProperty,
    "flat-test": flatTest,
    "service-as-data": serviceAsData,
    border,
    "linear-pattern": linearPattern,
    "vague-name": vagueName,
  },
}
