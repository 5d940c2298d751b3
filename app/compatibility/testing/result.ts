/** Input of createResult, as a client computes it. */
export function createResultInput() {
  return {
    partnerName: "Grace",
    schemaVersion: 1,
    lite: { score: 71, summary: "A good match", traits: [{ name: "humour", score: 90 }] },
    deepInsights: { sections: [{ title: "Communication", body: "This is what is paid for." }] },
  }
}
