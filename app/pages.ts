import { consentPages } from "./consent/consent.page.tsx"
import { addressPage } from "./pages/account/address.tsx"
import { dataPages } from "./pages/account/data.tsx"
import { devicesPage } from "./pages/account/devices.tsx"
import { passkeysPage } from "./pages/account/passkeys.tsx"
import { passwordPage } from "./pages/account/password.tsx"
import { planPage, profilePage } from "./pages/account/profile.tsx"
import { secondFactorPage } from "./pages/account/second-factor.tsx"
import { securityPages } from "./pages/account/security.tsx"
import { stepUpPage } from "./pages/account/step-up.tsx"
import { waysPage } from "./pages/account/ways.tsx"
import { auditPage } from "./pages/admin/audit.tsx"
import { invitationsPage } from "./pages/admin/invitations.tsx"
import { memberPage } from "./pages/admin/member.tsx"
import { membersPage } from "./pages/admin/members.tsx"
import { codePage } from "./pages/entry/code.tsx"
import { resetPages } from "./pages/entry/reset.tsx"
import { secondFactorPage as secondStepPage } from "./pages/entry/second-factor.tsx"
import { signInPages } from "./pages/entry/sign-in.tsx"
import { signUpPages } from "./pages/entry/sign-up.tsx"
import type { Page } from "./pages/form.tsx"
import { paymentPages } from "./payment/payment.page.tsx"

/** Every page, in the order of the menu. */
export const pages: Page[] = [
  ...signInPages,
  codePage,
  secondStepPage,
  ...signUpPages,
  ...resetPages,
  profilePage,
  addressPage,
  ...securityPages,
  planPage,
  passwordPage,
  waysPage,
  passkeysPage,
  secondFactorPage,
  devicesPage,
  ...consentPages,
  ...paymentPages,
  ...dataPages,
  stepUpPage,
  membersPage,
  memberPage,
  invitationsPage,
  auditPage,
]
