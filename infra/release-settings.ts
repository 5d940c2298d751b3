/** What every environment is given alike; shown in `environments/<stack>.effective.yaml`. */

/** Percentages of the traffic that a release takes, one after another. */
export const releaseSteps = [100]

/** Share of the requests that are logged. */
export const logSampling = 1

export const readReplication = "disabled"
