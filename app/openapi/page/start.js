// Swagger UI is a classic script that defines a global.
globalThis.SwaggerUIBundle({
  url: "/api/v1/openapi.json",
  dom_id: "#page",
  deepLinking: true,
  displayOperationId: true,
  // By default an external validator would receive the description.
  validatorUrl: null,
})
