import type { WrongFile } from "./wrong-file.ts"
import { wrongForms } from "./wrong-forms.ts"
import { wrongHosts } from "./wrong-hosts.ts"
import { wrongValues } from "./wrong-values.ts"

/** By rule; each breaks that rule alone. */
export const wrongFiles: WrongFile[] = [...wrongForms, ...wrongHosts, ...wrongValues]
