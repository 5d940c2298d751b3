#!/usr/bin/env bash
# Says in one line what a GitHub environment still lacks. A repository that deploys nothing yet, and a run of
# Dependabot, have no token: their jobs end there, green, with a notice. Half of a set-up is a failure.
#   set-up.sh ENVIRONMENT [required]: without a token, fail
# TOKEN, BACKEND and PASSPHRASE are true or false; PREFIX is that of the names of the secrets.
set -euo pipefail

names="${PREFIX:-}PULUMI_ACCESS_TOKEN nor the variable ${PREFIX:-}PULUMI_BACKEND_URL or ${PREFIX:-}PULUMI_OIDC_ORGANIZATION"
where="add it to the GitHub environment $1, as \"Pipelines\" in docs/operating.md says"

tell() {
  echo "::$1 title=$2::$3"
  echo "$2: $3" >> "$GITHUB_STEP_SUMMARY"
}

if [[ $TOKEN != true ]]; then
  kind=notice
  # A variable, unlike a secret, is there in runs of Dependabot too.
  [[ $BACKEND != true || ${GITHUB_ACTOR:-} == "dependabot[bot]" ]] || kind=error
  [[ ${2:-} != required ]] || kind=error
  tell "$kind" "Nothing was done for $1" "there is no secret ${PREFIX:-}CLOUDFLARE_API_TOKEN: $where"
  [[ $kind == notice ]]
  exit
fi
if [[ $BACKEND != true ]]; then
  tell error "Nothing was done for $1" "there is a token but no backend, neither the secret $names: $where"
  exit 1
fi
if [[ ${BACKEND_URL:-} =~ ^(gs|azblob): ]]; then
  tell error "Nothing was done for $1" "the backend is at ${BACKEND_URL%%:*}: and this workflow has credentials of S3 alone: pass yours to each step that has those of AWS, and take this line out of .github/set-up.sh"
  exit 1
fi
# Pulumi takes a passphrase that is empty, as GitHub makes one that is missing, and encrypts the state with it.
environment=${1%%-*}
file=environments/Pulumi.$environment.yaml
[[ $environment != preview ]] || file=environments/preview.yaml
if [[ $PASSPHRASE != true && ${BACKEND_URL:-} =~ ^(s3|gs|azblob|file): ]] && ! grep -q "^secretsprovider:" "$file"; then
  tell error "Nothing was done for $1" "nothing encrypts the state in the bucket, neither the secret ${PREFIX:-}PULUMI_CONFIG_PASSPHRASE nor secretsprovider in $file: $where"
  exit 1
fi
echo "ready=yes" >> "$GITHUB_OUTPUT"
