#!/usr/bin/env python3
"""Makes manual pages and completions for bash from the programs' own --help.

`make_manual.py --version V --share FOLDER PROGRAM...` writes FOLDER/man/man1/NAME.1 and
FOLDER/bash-completion/completions/NAME for every program.
"""
import argparse
import pathlib
import re
import subprocess

# Additions to --help of the program.
NOTES = {
    "clearance": """.SH EXIT STATUS
.TP
.B 0
done
.TP
.B 2
bad usage, bad input, or files that cannot be written
.TP
.B 3
a step could not be taken, or did not converge and \\fB\\-\\-strict\\fR was given
.TP
.B 4
verification failed
.TP
.BR 129 ", " 130 ", " 143
a run was stopped by SIGHUP, SIGINT or SIGTERM before its last step
.SH ENVIRONMENT
.TP
.B CLEARANCE_PROCESSOR
\\fIportable\\fR, \\fIavx2\\fR or \\fIavx512\\fR: use no more than that of the processor
.TP
.B CLEARANCE_MESH
the program that fills bare surfaces, instead of
.BR clearance\\-mesh (1)
.TP
.B CLEARANCE_CACHE
where filled surfaces are kept (default: ~/.cache/clearance)
.SH SEE ALSO
.BR clearance\\-mesh (1),
the documents below share/doc/clearance
""",
    "clearance-mesh": """.SH SEE ALSO
.BR clearance (1)
""",
}
COMMAND = "\\fICOMMAND\\fR "
# A line of help has two blanks, a name (with its argument), blanks, and a description.
COMMAND_LINE = re.compile(r"^  ([a-z][\w-]*) +(\S.*)$")
OPTION = re.compile(r"(?<![\w-])(--?[A-Za-z][\w-]*)")


def help_of(program, *command):
    done = subprocess.run([program, *command, "--help"], check=True, capture_output=True, text=True)
    # Show the name by which users call the program, not the path where it was built.
    return done.stdout.replace(str(program), pathlib.Path(program).name).rstrip() + "\n"


def commands_of(text):
    """Returns names and short descriptions below "Subcommands:"."""
    _, _, below = text.partition("Subcommands:\n")
    return [match.groups() for match in map(COMMAND_LINE.match, below.split("\n")) if match]


def helps_of(program, *command):
    """Returns the --help of every command, and of commands of commands, by their words; in the order of the help."""
    helps = {}
    for name, _ in commands_of(help_of(program, *command)):
        helps[" ".join((*command, name))] = help_of(program, *command, name)
        helps.update(helps_of(program, *command, name))
    return helps


def options_of(text):
    """Returns the options that stand at the start of a line of help, long and short."""
    found = []
    for line in text.split("\n"):
        if re.match(r"^  -", line):
            found += OPTION.findall(re.split(r" {2,}|(?<=\w) ", line.strip(), maxsplit=1)[0])
    return sorted(set(found))


def escape(text):
    """Escapes text for troff: a dot or quote at the start of a line stays text, a hyphen stays a hyphen."""
    lines = text.replace("\\", "\\e").replace("-", "\\-").split("\n")
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in lines)


def manual_page(name, version, overview, helps):
    what, _, rest = overview.partition("\n")
    page = [f'.TH {name.upper()} 1 "" "Clearance {version}" "User Commands"', ".SH NAME",
            f"{escape(name)} \\- {escape(what.rstrip('.').removeprefix('Clearance: '))}", ".SH SYNOPSIS",
            f"\\fB{escape(name)}\\fR {COMMAND if helps else ''}[\\fIOPTION\\fR]...", ".SH OVERVIEW", ".nf", escape(rest.strip("\n")), ".fi",
            *([".SH COMMANDS"] if helps else [])]
    for command, text in helps.items():
        page += [f".SS {escape(command)}", ".nf", escape(text.rstrip("\n")), ".fi"]
    return "\n".join(page) + "\n" + NOTES.get(name, "")


def below(command, helps):
    """Returns the names of the commands of a command, or of the program."""
    words = command.split()
    return [name.split()[-1] for name in helps if name.split()[:-1] == words]


def completion(name, overview, helps):
    """Completes commands, then options of the command if the word begins with a hyphen, else files."""
    function = "_" + name.replace("-", "_")
    # "sweep" or "sweep status" can begin the line; the longer one comes first.
    cases = "\n".join(f"    '{command} '*) options='{' '.join(options_of(text))}' commands='{' '.join(below(command, helps))}' ;;"
                      for command, text in sorted(helps.items(), key=lambda item: -item[0].count(" ")))
    commands = "" if not helps else f"""  local commands='{' '.join(below("", helps))}' typed="${{COMP_WORDS[*]:1:COMP_CWORD-1}} "
  case $typed in
{cases}
  esac
  # A command stands behind its own command only, not behind options or files.
  if [[ $typed == ' ' || ($commands && $word != -* && $COMP_CWORD == 2) ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$word")
    if ((${{#COMPREPLY[@]}})); then return; fi
  fi
"""
    return f"""# bash completion of {name}
{function}() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} options='{' '.join(options_of(overview))}'
  COMPREPLY=()
{commands}  # Without an answer readline completes names of files.
  if [[ $word == -* ]]; then mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word"); fi
}}
complete -o bashdefault -o default -F {function} {name}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--version", required=True)
    parser.add_argument("--share", required=True, type=pathlib.Path)
    parser.add_argument("programs", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    for program in arguments.programs:
        overview = help_of(program)
        helps = helps_of(program)
        for path, text in (("man/man1/" + program.name + ".1", manual_page(program.name, arguments.version, overview, helps)),
                           ("bash-completion/completions/" + program.name, completion(program.name, overview, helps))):
            file = arguments.share / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
