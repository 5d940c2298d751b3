import { readFileSync } from "node:fs"

import ts from "typescript"
import { expect, test } from "vitest"

import type { Fields, Property } from "./property.ts"
import { resources, version } from "./resources.ts"

const cloudflare = new URL("../../../node_modules/@pulumi/cloudflare/", import.meta.url)
const inputs = parse("types/input.d.ts")
const outputs = parse("types/output.d.ts")

const files = {
  "cloudflare:index/d1Database:D1Database": "d1database",
  "cloudflare:index/worker:Worker": "worker",
  "cloudflare:index/workersCustomDomain:WorkersCustomDomain": "workersCustomDomain",
  "cloudflare:index/workersRoute:WorkersRoute": "workersRoute",
}

test("the resource table is of the pinned @pulumi/cloudflare", () => {
  const manifest: unknown = JSON.parse(readFileSync(new URL("package.json", cloudflare), "utf8"))
  expect(manifest).toMatchObject({ version })
})

test("the resource table has a declaration file for each of its resources", () => {
  expect(Object.keys(resources)).toEqual(Object.keys(files))
})

test.each(Object.entries(files))(
  "the resource table declares %s as the pinned @pulumi/cloudflare does",
  (token, file) => {
    const name = token.split(":").at(-1) ?? ""
    const declared = parse(`${file}.d.ts`)
    const source = readFileSync(new URL(`${file}.js`, cloudflare), "utf8")
    expect(source).toContain(`static __pulumiType = '${token}'`)
    const { fields = {} } = resources[token] ?? {}
    const merged = merge(members(declared, `${name}Args`), members(declared, name))
    // The provider rejects inputs that are not declared, and drops outputs that are not.
    expect(merged).toMatchObject(describeFields(fields))
    const required = Object.keys(merged).filter((key) => merged[key]?.presence === "required")
    expect(Object.keys(fields)).toEqual(expect.arrayContaining(required))
  },
)

type Shape = { presence: string; kind: string; of?: Shape | Record<string, Shape> }

/** The resource table without the differences that declarations cannot express. */
function describeFields(fields: Fields, inside = false): Record<string, Shape> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, property]) => {
      // Inside an object, input declarations list computed properties, too.
      const presence = inside && property.presence === "computed" ? "either" : property.presence
      return [name, { ...describeProperty(property), presence }]
    }),
  )
}

function describeProperty(property: Property): Shape {
  const item = "item" in property ? { of: describeProperty(property.item) } : {}
  const fields = "fields" in property ? { of: describeFields(property.fields, true) } : {}
  const kind = declaredKinds[property.kind] ?? property.kind
  return { presence: "", kind, ...item, ...fields }
}

const declaredKinds: Record<string, string> = { set: "list" }

type Declared = { optional: boolean; type: ts.TypeNode }
type Members = Record<string, Declared | undefined>

/** Combines the declarations of inputs and outputs. */
function merge(inputMembers: Members, got: Members): Record<string, Shape> {
  const names = new Set([...Object.keys(inputMembers), ...Object.keys(got)])
  return Object.fromEntries(
    [...names].map((name) => {
      const shape = typeShape(inputMembers[name]?.type, got[name]?.type)
      return [name, { ...shape, presence: presenceOf(inputMembers[name], got[name]) }]
    }),
  )
}

function presenceOf(input: Declared | undefined, got: Declared | undefined): string {
  if (!input) return "computed"
  if (!input.optional) return "required"
  return got && !got.optional ? "either" : "optional"
}

function typeShape(inputType: ts.TypeNode | undefined, got: ts.TypeNode | undefined): Shape {
  const [input, output] = [inputType && unwrap(inputType), got && unwrap(got)]
  const type = input ?? output
  if (!type) throw new Error("neither inputs nor outputs declare it")
  if (ts.isArrayTypeNode(type)) {
    const item = (node: ts.TypeNode | undefined) =>
      node && ts.isArrayTypeNode(node) ? node.elementType : undefined
    return { presence: "", kind: "list", of: typeShape(item(input), item(output)) }
  }
  if (!ts.isTypeReferenceNode(type)) return { presence: "", kind: type.getText() }
  const name = type.typeName.getText().split(".").at(-1) ?? ""
  const fields = input
    ? merge(members(inputs, name), output ? members(outputs, name) : {})
    : insideOutput(members(outputs, name))
  return { presence: "", kind: "object", of: fields }
}

/** An object that only outputs have, so that everything in it is computed. */
function insideOutput(got: Members): Record<string, Shape> {
  return Object.fromEntries(
    Object.entries(got).map(([name, declared]) => [
      name,
      { ...typeShape(undefined, declared?.type), presence: "either" },
    ]),
  )
}

/** Without `pulumi.Input`, `pulumi.Output` and `| undefined`. */
function unwrap(type: ts.TypeNode): ts.TypeNode {
  if (ts.isUnionTypeNode(type)) {
    const first = type.types.find((it) => it.kind !== ts.SyntaxKind.UndefinedKeyword)
    return first ? unwrap(first) : type
  }
  if (!ts.isTypeReferenceNode(type) || !type.typeName.getText().startsWith("pulumi.")) return type
  const [argument] = type.typeArguments ?? []
  return argument ? unwrap(argument) : type
}

/** The properties of an interface, or the readonly ones of a class. */
function members(source: ts.SourceFile, name: string): Members {
  const shapes: Members = {}
  for (const statement of source.statements) {
    if (!ts.isInterfaceDeclaration(statement) && !ts.isClassDeclaration(statement)) continue
    if (statement.name?.text !== name) continue
    for (const member of statement.members) {
      const declares = ts.isPropertySignature(member) || ts.isPropertyDeclaration(member)
      if (!declares || !member.type || ts.getModifiers(member)?.some(isStatic)) continue
      const mayBeUndefined = / \| undefined>?$/.test(member.type.getText())
      const isOutput = member.type.getText().startsWith("pulumi.Output")
      const optional = member.questionToken !== undefined || (isOutput && mayBeUndefined)
      shapes[member.name.getText()] = { optional, type: member.type }
    }
  }
  return shapes
}

function isStatic({ kind }: ts.ModifierLike): boolean {
  return kind === ts.SyntaxKind.StaticKeyword || kind === ts.SyntaxKind.PrivateKeyword
}

function parse(file: string): ts.SourceFile {
  const text = readFileSync(new URL(file, cloudflare), "utf8")
  return ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
}
