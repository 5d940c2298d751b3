/** Of the API of test runs. */
export const apiUrl = "http://localhost:8787"
/** Of its front end. */
export const webUrl = "http://localhost:3000"
