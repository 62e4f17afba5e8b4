# bash completion of vmctl; made by: vmctl completion bash
_vmctl() {
  local how='' word
  COMPREPLY=()
  {
    IFS= read -r how
    while IFS= read -r word; do COMPREPLY+=("$word"); done
  } < <("${COMP_WORDS[0]}" __complete-line bash "${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null)
  case $how in
    files) compopt -o default ;;
    nospace) compopt -o nospace ;;
  esac 2>/dev/null
}
complete -F _vmctl vmctl
