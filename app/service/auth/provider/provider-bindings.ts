/** Names of the two bindings of an identity provider; those of `idp` are in the table, without which the module goes. */
export function identityProviderBindings(id: string) {
  const stem = id === "idp" ? "IDP" : `IDP_${id.toUpperCase().replaceAll("-", "_")}`
  return { clientId: `${stem}_CLIENT_ID`, clientSecret: `${stem}_CLIENT_SECRET` }
}
