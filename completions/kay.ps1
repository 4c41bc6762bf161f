# PowerShell completion for kay
#
#   for this shell:    kay completion powershell | Out-String | Invoke-Expression
#   for every shell:   add that line to the file that $PROFILE names

Register-ArgumentCompleter -Native -CommandName kay -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $elements = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.StartOffset -lt $cursorPosition })
    $words = @($elements | ForEach-Object {
        $text = $_.Extent.Text
        $text.Substring(0, [Math]::Min($text.Length, $cursorPosition - $_.Extent.StartOffset))
    })
    $index = $words.Count
    # After a space a new word begins. It is empty, and not passed on: older versions drop an empty argument.
    if ($index -eq 0 -or $elements[-1].Extent.EndOffset -lt $cursorPosition) { $index += 1 }

    $encoding = [Console]::OutputEncoding
    try {
        [Console]::OutputEncoding = [System.Text.Encoding]::UTF8
        $lines = @(& kay __complete powershell $index @words 2>$null)
    } finally {
        [Console]::OutputEncoding = $encoding
    }
    if ($lines.Count -eq 0) { return }

    # Without an answer PowerShell completes names of files by itself.
    if ($lines[0] -like 'f*') { return }
    if ($lines.Count -eq 1) { return '' }

    $lines | Select-Object -Skip 1 | ForEach-Object {
        $value, $about = $_ -split "`t", 2
        $text = if ($value -match '[^\w./:=+@-]') { "'" + ($value -replace "'", "''") + "'" } else { $value }
        if (-not $about) { $about = $value }
        [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $about)
    }
}
