export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

/** The script for each shell. It calls `prevail completion words` for the candidates at the cursor. */
export const completionScripts: Readonly<Record<Shell, string>> = {
  bash: `# bash completion for prevail. For this shell:   source <(prevail completion bash)
# For every shell:   prevail completion bash > ~/.local/share/bash-completion/completions/prevail

_prevail() {
  local word line index directive=4 prefix='' joined='' cursor=0 words=()
  # Bash takes a line apart at = and : as well; what the person typed as one word is put together again.
  for (( index = 1; index < \${#COMP_WORDS[@]}; index++ )); do
    word=\${COMP_WORDS[index]}
    if [[ \${#words[@]} -gt cursor && ( $word =~ ^[=:]+$ || -n $joined ) ]]; then
      words[\${#words[@]}-1]+=$word
    else
      words+=("$word")
    fi
    [[ $word =~ ^[=:]+$ ]] && joined=yes || joined=''
    (( index == COMP_CWORD )) && { cursor=\${#words[@]}; joined=''; }
  done
  (( cursor )) || { words=(''); cursor=1; }
  local current=\${words[cursor-1]}
  # Bash replaces only what follows the last of them.
  [[ $current == *[=:]* && $COMP_WORDBREAKS == *[=:]* ]] && prefix=\${current%"\${current##*[=:]}"}
  for index in "\${!words[@]}"; do
    word=\${words[index]}
    word=\${word#[\\"\\']}
    word=\${word%[\\"\\']}
    word=\${word//\\\\ / }
    case $word in '~/'*) word=$HOME/\${word#??} ;; esac
    words[index]=$word
  done

  COMPREPLY=()
  while IFS='' read -r line; do
    case $line in
      :*) directive=\${line#:} ;;
      *)
        word=\${line%%$'\\t'*}
        COMPREPLY+=("\${word#"$prefix"}")
        ;;
    esac
  done < <("\${COMP_WORDS[0]}" completion words --after $(( \${#words[@]} - cursor )) -- "\${words[@]}" 2>/dev/null)
  if (( directive & 2 )); then compopt -o nospace 2>/dev/null; fi
  if (( ! (directive & 4) )); then compopt -o default 2>/dev/null; fi
  return 0
}

complete -F _prevail prevail
`,
  zsh: `#compdef prevail
# zsh completion for prevail. For this shell:   source <(prevail completion zsh)
# For every shell:   prevail completion zsh > "\${fpath[1]}/_prevail"

_prevail() {
  local line directive=4
  local -a typed found shown options
  typed=("\${(@Q)words[2,-1]}")
  typed=("\${(@)typed/#\\~\\//$HOME/}")
  for line in "\${(@f)$("\${words[1]}" completion words --after $(( $#words - CURRENT )) -- "\${typed[@]}" 2>/dev/null)}"; do
    case $line in
      ('') ;;
      (:*) directive=\${line#:} ;;
      (*)
        found+=("\${line%%$'\\t'*}")
        shown+=("\${line/$'\\t'/  -- }")
        ;;
    esac
  done
  (( directive & 2 )) && options+=(-S '')
  (( \${#found} )) && compadd "\${options[@]}" -l -d shown -a found
  (( directive & 4 )) && return
  [[ $PREFIX == --*=* ]] && compset -P '*='
  _files
}

if [[ \${funcstack[1]} == _prevail ]]; then _prevail "$@"; else compdef _prevail prevail; fi
`,
  fish: `# fish completion for prevail. For this shell:   prevail completion fish | source
# For every shell:   prevail completion fish > ~/.config/fish/completions/prevail.fish

function __prevail_complete
    set -l typed (string replace -r '^~/' "$HOME/" -- (commandline -opc))
    set -l current (commandline -ct)
    set -l after (commandline -op)
    set -e after[1..(count $typed)]
    # The word at the cursor is the first of them, unless there is none.
    set -l whole (commandline -t)
    test -n "$whole"; and set -e after[1]
    set -l directive 4
    for line in (command $typed[1] completion words --after (count $after) -- $typed[2..-1] "$current" $after 2>/dev/null)
        if string match -qr '^:[0-9]+$' -- $line
            set directive (string sub -s 2 -- $line)
        else
            echo $line
        end
    end
    if test $directive -lt 4
        set -l option (string match -r '^--[a-z-]+=' -- "$current")
        for path in (__fish_complete_path (string replace -r '^--[a-z-]+=' '' -- "$current"))
            echo "$option$path"
        end
    end
end

complete -c prevail -f -a '(__prevail_complete)'
`,
};
