export default { fetch: () => Response.json({ status: "ok" }) }
