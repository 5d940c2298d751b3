import ts from "typescript"

export type SdkMethod = {
  method: string
  /** With `${…}` for parameters. */
  path: string
  body: ts.Type | undefined
  query: ts.Type | undefined
  /** Return type of the method; with `page`, the type of one item of the list. */
  result: ts.Type
  /** Name of the class that pages through a list. */
  page: string | undefined
  /** Whether the method returns the `result` of the envelope instead of the response. */
  unwrapped: boolean
}

export function sdkMethods(file: ts.SourceFile, checker: ts.TypeChecker): SdkMethod[] {
  const methods: SdkMethod[] = []
  visit(file)
  return methods

  function visit(node: ts.Node) {
    if (ts.isMethodDeclaration(node) && node.body) methods.push(...read(node))
    ts.forEachChild(node, visit)
  }

  function read(declaration: ts.MethodDeclaration): SdkMethod[] {
    const call = callOf(declaration)
    const signature = checker.getSignatureFromDeclaration(declaration)
    if (!call || !signature) return []
    const { verb, node } = call
    const path = pathOf(node.arguments[0])
    if (path === undefined || declaration.body === undefined) {
      // A path built in any other way would be missed silently.
      throw new Error(
        `${file.fileName}: ${declaration.name.getText()} builds its path in an unknown way`,
      )
    }
    const promised = checker.getReturnTypeOfSignature(signature)
    const options = node.arguments.find((argument) => optionsOf(argument) !== undefined)
    const { body, query, method } = (options && optionsOf(options)) ?? {}
    const isList = verb === "getAPIList"
    const arguments_ = argumentsOf(promised)
    const result = isList ? arguments_[1] : arguments_[0]
    if (!result) throw new Error(`${file.fileName}: ${declaration.name.getText()} returns nothing`)
    return [
      {
        method: isList ? (textOf(method) ?? "get").toUpperCase() : verb.toUpperCase(),
        path: path,
        body: body && typeOf(body),
        query: query && typeOf(query),
        result,
        page: isList ? node.arguments[1]?.getText().replace(/<[\s\S]*$/, "") : undefined,
        unwrapped: declaration.body.getText().includes("_thenUnwrap"),
      },
    ]
  }

  /** `Promise<T>` keeps its type argument in the alias or in the reference. */
  function argumentsOf(type: ts.Type): readonly ts.Type[] {
    return isReference(type) ? checker.getTypeArguments(type) : []
  }

  function typeOf(property: ts.ObjectLiteralElementLike): ts.Type | undefined {
    if (ts.isPropertyAssignment(property)) return checker.getTypeAtLocation(property.initializer)
    const symbol = checker.getShorthandAssignmentValueSymbol(property)
    return symbol && checker.getTypeOfSymbol(symbol)
  }
}

function pathOf(node: ts.Expression | undefined): string | undefined {
  if (node && ts.isStringLiteral(node)) return node.text
  if (node && ts.isTaggedTemplateExpression(node)) return node.template.getText().slice(1, -1)
  return undefined
}

/** Arrays and promises: types with type arguments have a target. */
export function isReference(type: ts.Type): type is ts.TypeReference {
  return "target" in type
}

function callOf(root: ts.Node): { verb: string; node: ts.CallExpression } | undefined {
  if (ts.isCallExpression(root) && ts.isPropertyAccessExpression(root.expression)) {
    const { expression, name } = root.expression
    if (expression.getText() === "this._client") return { verb: name.text, node: root }
  }
  return ts.forEachChild(root, callOf)
}

/** Reads `body`, `query` and `method` of `{ body, ...options }`, also inside a call that makes a form of it. */
function optionsOf(node: ts.Expression) {
  const literal = ts.isCallExpression(node) ? node.arguments[0] : node
  if (!literal || !ts.isObjectLiteralExpression(literal)) return undefined
  const propertyOf = (name: string) =>
    literal.properties.find((property) => property.name?.getText() === name)
  return { body: propertyOf("body"), query: propertyOf("query"), method: propertyOf("method") }
}

function textOf(property: ts.ObjectLiteralElementLike | undefined): string | undefined {
  if (!property || !ts.isPropertyAssignment(property)) return undefined
  return ts.isStringLiteral(property.initializer) ? property.initializer.text : undefined
}
