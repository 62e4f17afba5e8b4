# fish completion of vmctl; made by: vmctl completion fish
function __vmctl_complete
    set -l words (commandline -opc)
    set -l line (commandline -cp)
    set -l choices ($words[1] __complete-line fish "$line" 2>/dev/null)
    if test "$choices[1]" = files
        __fish_complete_path (commandline -ct)
    else
        printf '%s\n' $choices[2..-1]
    end
end
# The shell brings completions of another program of this name.
complete -c vmctl -e
complete -c vmctl -f -a '(__vmctl_complete)'
