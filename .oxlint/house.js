// Rules of docs/style.md that no ready-made rule holds.

import { dirname, join, relative } from "node:path"

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
      ImportDeclaration(node) {
        if (!/(?:^|\/)app\//.test(node.source.value)) return
        const message = "The tools know app/ only by what infra/project.ts hands over"
        context.report({ node, message })
      },
      /** @param {any} node */
      Literal: (node) => check(node, node.value),
      /** @param {any} node */
      TemplateElement: (node) => check(node, node.value.raw),
    }
  },
}

/** The one noun that the machinery knows: a session says which plan its member has. */
const knownNouns = ["plan"]

const appImport = {
  /** @param {any} context */
  create(context) {
    const from = relative(process.cwd(), context.filename)
    const isTest = /\.test\.ts$|\/testing\/|\.config\.ts$/.test(from)
    /** @param {any} node */
    const check = (node) => {
      const path = node.source?.value
      if (typeof path !== "string" || !path.startsWith(".")) return
      const to = join(dirname(from), path)
      const [, noun = ""] = /^app\/([\w-]+)\//.exec(to) ?? []
      const known = ["service", "testing", ...knownNouns]
      if (!to.startsWith("app/") && !isTest) {
        context.report({ node, message: "app/ imports nothing from outside of it" })
      }
      if (from.startsWith("app/service/") && noun !== "" && !known.includes(noun)) {
        context.report({ node, message: "The machinery knows no noun: a registry names it" })
      }
    }
    return {
      ImportDeclaration: check,
      ImportExpression: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
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
    "app-import": appImport,
  },
}
