# fish completion of vmctl; made by: vmctl completion fish
function __vmctl_complete
    set -l words (commandline -opc)
    $words[1] __complete $words[2..-1] (commandline -ct) 2>/dev/null
end
complete -c vmctl -a '(__vmctl_complete)'
