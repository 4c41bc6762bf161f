#compdef kay
# zsh completion for kay
#
#   for this shell:    source <(kay completion zsh)
#   for every shell:   echo 'source <(kay completion zsh)' >> ~/.zshrc      (after compinit)
#   or, once, in a folder of $fpath:
#                      kay completion zsh > "${fpath[1]}/_kay"

_kay() {
  local out line kind prefix value about
  local -a before lines values

  # What was typed goes to kay without its quotes: nothing in it is expanded or run.
  before=("${(@Q)words[2,CURRENT-1]}")
  (( CURRENT > 2 )) || before=()
  out=$(command kay __complete zsh $(( CURRENT - 1 )) "${before[@]}" "${(Q)PREFIX}" 2>/dev/null) || return 1

  lines=("${(@f)out}")
  kind=${lines[1]%%$'\t'*}
  prefix=${lines[1]#*$'\t'}
  shift lines

  if [[ $kind == files || $kind == folders ]]; then
    [[ -n $prefix ]] && compset -P '*='
    [[ $kind == files ]] && _files || _files -/
    return
  fi

  for line in "${lines[@]}"; do
    value=${${line%%$'\t'*}//\\/\\\\}
    about=${${line#*$'\t'}//\\/\\\\}
    values+=("${value//:/\\:}${about:+:$about}")
  done
  _describe -V -t values value values
}

if [[ $funcstack[1] == _kay ]]; then
  _kay "$@"
elif (( $+functions[compdef] )); then
  compdef _kay kay
else
  print -u2 'kay: completion needs zsh'\''s own first: autoload -Uz compinit && compinit'
fi
