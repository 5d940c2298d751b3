/** Where the library keeps codes, tokens and sessions by default, at most a thousand; used by its path, it does not warn. */
declare module "oidc-provider/lib/adapters/memory_adapter.js" {
  const MemoryAdapter: import("oidc-provider").AdapterConstructor
  export default MemoryAdapter
}
