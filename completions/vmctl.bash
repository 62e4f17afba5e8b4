# bash completion of vmctl; made by: vmctl completion bash
_vmctl() {
  local current="${COMP_WORDS[COMP_CWORD]}" word
  COMPREPLY=()
  while IFS=$'\t' read -r word _; do
    printf -v word %q "$word"
    COMPREPLY+=("$word")
  done < <("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD-1}" "$current" 2>/dev/null)
}
complete -o default -F _vmctl vmctl
