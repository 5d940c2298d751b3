import type { Examples } from "../openapi/examples.ts"

export const tokenExamples: Examples = {
  createToken: {
    body: { audience: "https://orders.example.com" },
    answer: {
      token:
        "eyJhbGciOiJFUzI1NiIsImtpZCI6IkJ1QmtEV01YeHFMN1dmUkVLOVVjNy1vcV9nRVJJM1F1Rm5EbDM4azlWZGsiLCJ0eXAiOiJKV1QifQ.eyJpc3MiOiJodHRwczovL2FwaS5leGFtcGxlLmNvbSIsImF1ZCI6Imh0dHBzOi8vb3JkZXJzLmV4YW1wbGUuY29tIiwic3ViIjoidXNlcl9lajgwc3lhbnNjY3p2cmViaDhrYnF5ZG4iLCJpYXQiOjE3OTUyOTAwMDAsImV4cCI6MTc5NTI5MDMwMCwianRpIjoidG9rZW5fYTkxY2p5Y2Y1YXN2ODE1OHJzcG5ma2tzIn0.2YD8uwrtBEuzslyWCDqZz_yLhCkmcG2j1DbdRSos3zYCqk6GhDgDXjafNw-7shkqWRscPfVRdr7pCXusQyK0qQ",
      expiresAt: "2026-11-21T19:45:00.000Z",
    },
  },
  getTokenKeys: {
    answer: {
      keys: [
        {
          kid: "BuBkDWMXxqL7WfREK9Uc7-oq_gERI3QuFnDl38k9Vdk",
          alg: "ES256",
          use: "sig",
          kty: "EC",
          crv: "P-256",
          x: "NqEkErfBgE4HxvB3hxKxFaRPBuydo0EjILGsHtZEuJo",
          y: "EfSwNrEBnY9GoTA5wQd1LX4PqGYfYyScddj0sVL3VjM",
        },
      ],
    },
  },
}
