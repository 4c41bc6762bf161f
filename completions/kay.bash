# bash completion for kay
#
#   for this shell:    source <(kay completion bash)
#   for every shell:   echo 'source <(kay completion bash)' >> ~/.bashrc
#   with the package bash-completion, once:
#                      kay completion bash > ~/.local/share/bash-completion/completions/kay

_kay() {
  local IFS=$' \t\n' rest stripped word out kind prefix value about mark head kept= i width=0
  local -a words=() values=() abouts=()
  COMPREPLY=()

  # bash has split the line at = and : as well. Words that touch are joined again, and the last one ends at the cursor.
  rest=${COMP_LINE:0:COMP_POINT}
  for ((i = 0; i <= COMP_CWORD; i++)); do
    stripped=${rest#"${rest%%[![:space:]]*}"}
    word=${COMP_WORDS[i]}
    ((i == COMP_CWORD)) && word=$stripped
    if [[ $i -gt 0 && $stripped == "$rest" ]]; then
      words[${#words[@]} - 1]+=$word
    else
      words+=("$word")
    fi
    rest=${stripped#"$word"}
  done

  # What was typed goes to kay as it is: nothing in it is expanded or run.
  out=$(command kay __complete bash $((${#words[@]} - 1)) "${words[@]:1}" 2>/dev/null) || return 0
  while IFS=$'\t' read -r value about; do
    if [[ -z $kind ]]; then
      kind=$value prefix=$about
    else
      values+=("$value") abouts+=("$about")
      ((${#value} > width)) && width=${#value}
    fi
  done <<<"$out"

  case $kind in
    files) compopt -o default 2>/dev/null || _kay_paths -f "${words[${#words[@]} - 1]#"$prefix"}" ;;
    folders) compopt -o dirnames 2>/dev/null || _kay_paths -d "${words[${#words[@]} - 1]#"$prefix"}" ;;
  esac

  # readline replaces only what stands behind the last of these.
  word=${words[${#words[@]} - 1]}
  for mark in = : @; do
    head=${word%"$mark"*}$mark
    if [[ $word != [\"\']* && $COMP_WORDBREAKS == *"$mark"* && $word == *"$mark"* && ${#head} -gt ${#kept} ]]; then
      kept=$head
    fi
  done

  compopt -o nosort 2>/dev/null
  for i in "${!values[@]}"; do
    value=${values[i]#"$kept"}
    [[ $word == [\"\']* ]] || printf -v value %q "$value"
    # Where several are only listed (a second TAB), they are listed with what they are.
    if [[ ${#values[@]} -gt 1 && -n ${abouts[i]} && ${COMP_TYPE:-9} =~ ^(33|63|64)$ ]]; then
      printf -v value '%-*s  (%s)' $((width - ${#kept})) "$value" "${abouts[i]}"
      value=${value:0:$((${COLUMNS:-80} - 2))}
    fi
    COMPREPLY+=("$value")
  done
}

# Before bash 4 a completion could not ask for file names.
_kay_paths() {
  local path
  while IFS= read -r path; do COMPREPLY+=("$path"); done < <(compgen "$1" -- "$2")
}

complete -F _kay kay
