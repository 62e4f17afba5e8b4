# fish completion of vmctl; made by: vmctl completion fish
function __vmctl_complete
    set -l words (commandline -opc)
    set -l choices ($words[1] __complete $words[2..-1] (commandline -ct) 2>/dev/null)
    if set -q choices[1]
        printf '%s\n' $choices
    else
        __fish_complete_path (commandline -ct)
    end
end
# The shell brings completions of another program of this name.
complete -c vmctl -e
complete -c vmctl -f -a '(__vmctl_complete)'
