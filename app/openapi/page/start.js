// A classic script: Swagger UI comes as one, and leaves its name behind.
globalThis.SwaggerUIBundle({
  url: "/api/v1/openapi.json",
  dom_id: "#page",
  deepLinking: true,
  displayOperationId: true,
  // Else the description would be sent to a validator elsewhere.
  validatorUrl: null,
})
