import * as z from "zod"

import { reader } from "../../session/procedures.ts"
import type { DataExport } from "./data-export.ts"

export const ExportCursor = z.string().max(2000)

export const invalidCursor = {
  data: { issues: [{ path: ["cursor"], message: "Must be a cursor of this export" }] },
}

export function exportData(dataExport: DataExport) {
  return reader
    .route({ method: "GET" })
    .input(z.strictObject({ cursor: ExportCursor.optional() }))
    .output(dataExport.Page)
    .handler(async ({ context, input: { cursor }, errors }) => {
      const { database, configuration } = context.services
      const progress = await dataExport.progressOf(configuration, cursor)
      const { results } = await context.ask((userId) =>
        dataExport.queriesOf({ database, userId, progress: progress ?? dataExport.firstProgress }),
      )
      if (progress === undefined) throw errors.BAD_REQUEST(invalidCursor)
      return dataExport.pageOf(configuration, progress, results)
    })
}
