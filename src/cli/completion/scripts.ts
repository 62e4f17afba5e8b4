/** Completion scripts for bash, zsh and fish; they ask `vmctl __complete` for candidates. */

export const shells = ['bash', 'zsh', 'fish'] as const;

export type Shell = (typeof shells)[number];

/** The scripts; the files in `completions/` are these. */
export const scripts: Readonly<Record<Shell, string>> = {
  bash: `# bash completion of vmctl; made by: vmctl completion bash
_vmctl() {
  local current="\${COMP_WORDS[COMP_CWORD]}" word
  COMPREPLY=()
  while IFS=$'\\t' read -r word _; do
    printf -v word %q "$word"
    COMPREPLY+=("$word")
  done < <("\${COMP_WORDS[0]}" __complete "\${COMP_WORDS[@]:1:COMP_CWORD-1}" "$current" 2>/dev/null)
}
complete -o default -F _vmctl vmctl
`,
  zsh: `#compdef vmctl
# zsh completion of vmctl; made by: vmctl completion zsh
_vmctl() {
  local -a choices
  local word doc
  while IFS=$'\\t' read -r word doc; do
    word="\${word//:/\\\\:}"
    choices+=("$word\${doc:+:$doc}")
  done < <("\${words[1]}" __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#choices} )); then
    _describe vmctl choices
  else
    _files
  fi
}
if [ "$funcstack[1]" = "_vmctl" ]; then
  _vmctl "$@"
else
  compdef _vmctl vmctl
fi
`,
  fish: `# fish completion of vmctl; made by: vmctl completion fish
function __vmctl_complete
    set -l words (commandline -opc)
    set -l choices ($words[1] __complete $words[2..-1] (commandline -ct) 2>/dev/null)
    if set -q choices[1]
        printf '%s\\n' $choices
    else
        __fish_complete_path (commandline -ct)
    end
end
# The shell brings completions of another program of this name.
complete -c vmctl -e
complete -c vmctl -f -a '(__vmctl_complete)'
`,
};
