import type { Examples } from "../../openapi/examples.ts"

const recoveryCodes = [
  "4kq2-m7xz-pd3e-tw6r",
  "b5vn-22hy-gq7l-oc4f",
  "zj3a-x6me-rk5t-7dwu",
  "pl2s-hc4v-yq6b-nf3o",
  "t7wd-5xgk-3ezr-jm2a",
  "u4qb-ln6p-vc2y-h5sf",
  "e3xo-k7td-mz5w-2rgj",
  "a6hf-yp4q-lb7n-uv3c",
  "r2se-jw5x-dk6t-zo4m",
  "g7nv-c3bq-hl2p-fy5u",
]

export const secondFactorExamples: Examples = {
  beginTotp: {
    body: {},
    answer: {
      secret: "KZ3GQ5DUMFVWC3TBMR2XI3DFNRWGK3DPNR4W63TF",
      uri: "otpauth://totp/Example:ada%40example.com?secret=KZ3GQ5DUMFVWC3TBMR2XI3DFNRWGK3DPNR4W63TF&issuer=Example&digits=6&period=30",
      enrolment: "eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..pK3vQ0tYbM8sWnX5.rLcD1fGhJ7pA",
    },
  },
  confirmTotp: {
    body: {
      enrolment: "eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..pK3vQ0tYbM8sWnX5.rLcD1fGhJ7pA",
      code: "492039",
    },
    answer: { recoveryCodes },
  },
  renewRecoveryCodes: { body: {}, answer: { recoveryCodes } },
  turnOffSecondFactor: { body: {}, answer: { off: true } },
  forgetBrowsers: {
    body: { browserId: "pK3vQ0tYbM8sWnX5rLcD1fGhJ7pAeU2iZk3vQ0tYbM8" },
    answer: { forgotten: 1 },
  },
}
