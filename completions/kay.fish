# fish completion for kay
#
#   for this shell:    kay completion fish | source
#   for every shell:   kay completion fish > ~/.config/fish/completions/kay.fish

function __kay_complete
    set -l before (commandline -opc)
    set -e before[1]
    set -l current (commandline -ct)

    # What was typed goes to kay as it is: nothing in it is expanded or run.
    set -l lines (command kay __complete fish (math (count $before) + 1) $before "$current" 2>/dev/null)
    or return
    set -l head (string split -m 1 \t -- $lines[1])
    set -e lines[1]

    switch $head[1]
        case files folders
            set -l path (string sub -s (math (string length -- "$head[2]") + 1) -- "$current")
            set -l paths
            if test $head[1] = files
                set paths (__fish_complete_path "$path")
            else
                set paths (__fish_complete_directories "$path")
            end
            for each in $paths
                printf '%s%s\n' "$head[2]" "$each"
            end
        case '*'
            test (count $lines) -gt 0
            and printf '%s\n' $lines
    end
end

complete -c kay -e
complete -c kay -f -k -a '(__kay_complete)'
