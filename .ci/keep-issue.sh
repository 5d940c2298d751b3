#!/usr/bin/env bash
# Keeps one issue for an environment, at GitHub: opened when something needs attention, written anew while it
# does, closed when all is well.
#   keep-issue.sh STACK FILE, which has what `./accounts status --markdown` says
set -euo pipefail

title="$1 needs attention"

ask() { gh "$@" --repo "$GITHUB_REPOSITORY"; }
find() {
  ask label create "$title" --force > /dev/null
  ask issue list --state open --label "$title" --limit 1 --json number --jq '.[0].number // empty'
}
create() { ask issue create --title "$title" --label "$title" --body-file "$1"; }
edit() { ask issue edit "$1" --body-file "$2"; }
close() { ask issue close "$1" --comment "$2"; }

# GitHub takes 65,536 characters, and no half of one.
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
