/* Pages in the examples lie on the front end of an example: here they must lie on a trusted origin. */
const described = await fetch("/api/v1/openapi.json")
const text = await described.text()

// Swagger UI is a classic script that defines a global.
globalThis.SwaggerUIBundle({
  spec: JSON.parse(text.replaceAll("https://app.example.com", globalThis.location.origin)),
  dom_id: "#page",
  deepLinking: true,
  displayOperationId: true,
  // By default an external validator would receive the description.
  validatorUrl: null,
})
