/* The examples use pages of an example's front end. Here they must be on a trusted origin. */
const described = await fetch("/api/v1/openapi.json")
const text = await described.text()

const spec = JSON.parse(text.replaceAll("https://app.example.com", globalThis.location.origin))
// Lists accounts first, and removes examples of optional filters so that requests return whole lists.
spec.tags = [{ name: "auth" }, { name: "user" }]
for (const operation of Object.values(spec.paths).flatMap((path) => Object.values(path))) {
  for (const parameter of operation.parameters ?? []) {
    if (parameter.in === "query" && !parameter.required) delete parameter.example
  }
}

// Long names would make the page wider than a phone.
const narrow = new CSSStyleSheet()
narrow.replaceSync(
  ".swagger-ui :is(span, a, h2, h3, p, code) { overflow-wrap: anywhere; min-width: 0 }",
)
document.adoptedStyleSheets.push(narrow)

// Swagger UI is a classic script that defines a global.
globalThis.SwaggerUIBundle({
  spec,
  dom_id: "#page",
  deepLinking: true,
  displayOperationId: true,
  // By default an external validator would receive the description.
  validatorUrl: null,
})
