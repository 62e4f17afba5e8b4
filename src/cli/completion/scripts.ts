/**
 * Completion scripts of the shells.
 * zsh passes the words of the line to `vmctl`; the others pass the typed line, because `vmctl`
 * handles their quotes.
 */

export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;

export type Shell = (typeof shells)[number];

/** Scripts by shell; the files in `completions/` are copies. */
export const completionScripts: Readonly<Record<Shell, string>> = {
  bash: `# bash completion of vmctl; made by: vmctl completion bash
_vmctl() {
  local how='' word
  COMPREPLY=()
  {
    IFS= read -r how
    while IFS= read -r word; do COMPREPLY+=("$word"); done
  } < <("\${COMP_WORDS[0]}" __complete-line bash "\${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null)
  case $how in
    files) compopt -o default ;;
    nospace) compopt -o nospace ;;
  esac 2>/dev/null
}
complete -F _vmctl vmctl
`,
  zsh: `#compdef vmctl
# zsh completion of vmctl; made by: vmctl completion zsh
_vmctl() {
  local -a plain open described
  local how word doc
  {
    read -r how
    while IFS=$'\\t' read -r word doc; do
      if [[ $word == *[/=.,] ]]; then
        open+=("$word")
      elif [[ -n $doc ]]; then
        word="\${word//\\\\/\\\\\\\\}"
        described+=("\${word//:/\\\\:}:$doc")
      else
        plain+=("$word")
      fi
    done
  } < <("\${(Q)words[1]}" __complete-zsh "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)
  if [[ $how == files ]]; then
    _files
    return
  fi
  (( \${#described} )) && _describe vmctl described
  (( \${#open} )) && compadd -S '' -a open
  (( \${#plain} )) && compadd -a plain
  (( \${#described} + \${#open} + \${#plain} ))
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
    set -l line (commandline -cp)
    set -l choices ($words[1] __complete-line fish "$line" 2>/dev/null)
    if test "$choices[1]" = files
        __fish_complete_path (commandline -ct)
    else
        printf '%s\\n' $choices[2..-1]
    end
end
# The shell brings completions of another program of this name.
complete -c vmctl -e
complete -c vmctl -f -a '(__vmctl_complete)'
`,
  powershell: `# PowerShell completion of vmctl; made by: vmctl completion powershell
Register-ArgumentCompleter -Native -CommandName vmctl -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $line = $commandAst.ToString()
    $length = $cursorPosition - $commandAst.Extent.StartOffset
    # After the last word, the cursor is after the text of the command.
    $line = if ($length -lt $line.Length) { $line.Substring(0, $length) } else { $line.PadRight($length) }
    $before = [Console]::OutputEncoding
    try {
        [Console]::OutputEncoding = [System.Text.Encoding]::UTF8
        # Quotes inside of arguments are lost on the way in older versions; a variable keeps them.
        $env:VMCTL_COMPLETE_LINE = $line
        $command = $commandAst.CommandElements[0].ToString()
        $choices = @(& $command __complete-line powershell 2>$null)
    } finally {
        [Console]::OutputEncoding = $before
        Remove-Item Env:VMCTL_COMPLETE_LINE -ErrorAction Ignore
    }
    # Without a result PowerShell offers files; a blank one offers nothing.
    if ($choices.Count -gt 0 -and $choices[0] -eq 'files') { return }
    if ($choices.Count -lt 2) { return '' }
    $choices | Select-Object -Skip 1 | ForEach-Object {
        $text, $shown, $doc = $_ -split "\`t", 3
        if (-not $doc) { $doc = $shown }
        [System.Management.Automation.CompletionResult]::new($text, $shown, 'ParameterValue', $doc)
    }
}
`,
};
