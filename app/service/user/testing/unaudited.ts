/** Why a route by which members change their own leaves no entry in the audit log. */
export const unauditedOfMembers: Record<string, string> = {
  "POST /api/auth/step-up/begin": "changes nothing yet; the letter tells the owner",
  "POST /api/v1/renamePasskey": "a member's own word for it",
  "POST /api/v1/beginTotp": "changes nothing yet: its first code is told",
  "POST /api/v1/forgetBrowsers": "takes away what the member has given, and gives nobody more",
  "POST /api/v1/updateProfile": "a member's own name and image",
  "POST /api/v1/renameSession": "what a member calls a device of theirs",
  "POST /api/v1/changeEmail": "changes nothing yet: the use of its code is told",
}
