#!/usr/bin/env bash
# Keeps one issue for an environment, at GitHub or GitLab: opened when something needs attention, written anew while
# it does, closed when all is well.
#   keep-issue.sh STACK FILE, which has what `./accounts status --markdown` says
set -euo pipefail

title="$1 needs attention"

if [[ -n ${GITLAB_CI:-} ]]; then
  # https://docs.gitlab.com/api/issues/ A label that GitLab does not know is made.
  ask() {
    curl --silent --show-error --fail-with-body "${@:2}" "$CI_API_V4_URL/projects/$CI_PROJECT_ID/issues$1" \
      --config <(echo "header = \"PRIVATE-TOKEN: $ISSUES_TOKEN\"")
  }
  find() {
    ask "?state=opened&per_page=1" --get --data-urlencode "labels=$title" |
      node --print 'JSON.parse(fs.readFileSync(0, "utf8"))[0]?.iid ?? ""'
  }
  create() { ask "" --data-urlencode "title=$title" --data-urlencode "labels=$title" --data-urlencode "description@$1"; }
  edit() { ask "/$1" --request PUT --data-urlencode "description@$2"; }
  close() {
    ask "/$1/notes" --data-urlencode "body=$2"
    ask "/$1" --request PUT --data state_event=close
  }
else
  ask() { gh "$@" --repo "$GITHUB_REPOSITORY"; }
  find() {
    ask label create "$title" --force > /dev/null
    ask issue list --state open --label "$title" --limit 1 --json number --jq '.[0].number // empty'
  }
  create() { ask issue create --title "$title" --label "$title" --body-file "$1"; }
  edit() { ask issue edit "$1" --body-file "$2"; }
  close() { ask issue close "$1" --comment "$2"; }
fi

# GitHub takes 65,536 characters, and GitLab refuses half of one.
if [[ $(wc -c < "$2") -gt 60000 ]]; then
  head -c 60000 "$2" | LC_ALL=C sed '$ s/[\x80-\xff]*$//' > "$2.shown"
  printf '\n\nCut off here: `./accounts status -s %s` says all.\n' "$1" >> "$2.shown"
  set -- "$1" "$2.shown"
fi

number=$(find)
if grep -q "^All is well" "$2"; then
  [[ -z $number ]] || close "$number" "All is well again."
elif [[ -n $number ]]; then
  edit "$number" "$2"
else
  create "$2"
fi
