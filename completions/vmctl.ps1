# PowerShell completion of vmctl; made by: vmctl completion powershell
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
        $text, $shown, $doc = $_ -split "`t", 3
        if (-not $doc) { $doc = $shown }
        [System.Management.Automation.CompletionResult]::new($text, $shown, 'ParameterValue', $doc)
    }
}
