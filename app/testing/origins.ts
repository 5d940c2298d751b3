/** URL of the API in tests. */
export const apiUrl = "http://localhost:8787"
/** Of its front end. */
export const webUrl = "http://localhost:3000"
