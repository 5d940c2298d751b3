import { customType } from "drizzle-orm/sqlite-core"

/**
 * A text column of at most so many UTF-16 units. What people send is refused where it comes in: this is for
 * what nobody thought of there, and fails.
 */
export function text(name: string, length: number) {
  return customType<{ data: string; driverData: string }>({
    dataType: () => "text",
    toDriver: (value) => {
      if (value.length <= length) return value
      throw new Error(`${name} has at most ${length} characters, not ${value.length}`)
    },
  })(name)
}
