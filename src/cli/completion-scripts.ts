/** What shells run to complete a command line of Pawl. */

const bash = `# bash completion of pawl: eval "$(pawl completion bash)", in ~/.bashrc
_pawl() {
  mapfile -t COMPREPLY < <(pawl __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _pawl pawl
`;

const zsh = `#compdef pawl
# zsh completion of pawl: eval "$(pawl completion zsh)", in ~/.zshrc behind compinit
_pawl() {
  local -a found
  found=("\${(@f)$(pawl __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${found[*]}" ]]; then compadd -a found; else _files; fi
}
compdef _pawl pawl
`;

const fish = `# fish completion of pawl: pawl completion fish > ~/.config/fish/completions/pawl.fish
function __pawl_complete
    set -l words (commandline -opc)
    set -e words[1]
    set -l current (commandline -ct)
    pawl __complete $words "$current" 2>/dev/null
end
complete -c pawl -f -a '(__pawl_complete)'
`;

export const completionScripts: Readonly<Record<string, string>> = { bash, zsh, fish };
