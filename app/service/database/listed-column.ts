import { customType } from "drizzle-orm/sqlite-core"

/**
 * A text column that holds one value of a list. The list lives in the code alone, so that it grows
 * without a migration; what is not in it never reaches the database.
 */
export function listed<const Value extends string>(name: string, values: readonly Value[]) {
  return customType<{ data: Value; driverData: string }>({
    dataType: () => "text",
    toDriver: (value) => {
      if (values.includes(value)) return value
      throw new Error(`${name} is one of ${values.join(", ")}, not ${JSON.stringify(value)}`)
    },
  })(name)
}
