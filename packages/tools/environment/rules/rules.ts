import { project } from "../project/own-project.ts"
import { acceptanceRule } from "./acceptance.ts"
import { accountRules } from "./account.ts"
import { behaviourRules } from "./behaviour.ts"
import { cookieRules } from "./cookie.ts"
import { formRules } from "./form.ts"
import { hostRules } from "./host.ts"
import { neighbourRules } from "./neighbour.ts"
import { outboundRules } from "./outbound.ts"
import { routeRules } from "./route.ts"
import type { Rule } from "./rule.ts"
import { secretRules } from "./secret.ts"

/** Every rule about a stack file, with the project's own, by id. A number stays with its rule: files accept rules by it. */
export const rules: Rule[] = [
  ...formRules,
  ...accountRules,
  ...hostRules,
  ...cookieRules,
  ...neighbourRules,
  ...routeRules,
  ...outboundRules,
  ...secretRules,
  ...behaviourRules,
  acceptanceRule,
  ...project.rules,
].toSorted((one, other) => one.id.localeCompare(other.id))
