// Help, generated from the table of commands.
import { closestMatch } from '../yaml/closest-match.ts'
import { type Command, type Option, optionText, SECTIONS, usageOf } from './command.ts'
import { BACKUP_COMMANDS } from './commands/backup-commands.ts'
import { LOCAL_COMMANDS } from './commands/local-commands.ts'
import { STORE_COMMANDS } from './commands/store-commands.ts'
import { UsageError } from './errors.ts'
import { Report } from './output.ts'
import { PROGRAM } from './program.ts'
import { align } from './table.ts'

export const COMMANDS: ReadonlyMap<string, Command> = new Map(
  [...LOCAL_COMMANDS, ...BACKUP_COMMANDS, ...STORE_COMMANDS].map((command) => [command.name, command]),
)

/** Former names, and not in the help. */
export const ALIASES: ReadonlyMap<string, string> = new Map([['key revoke', 'key delete']])

const JSON_OPTION: Option = { name: 'json', summary: 'print JSON (errors too)' }
const HELP_OPTION: Option = { name: 'help', summary: 'show this help' }

const GENERAL: readonly (readonly [string, string])[] = [
  ['help [COMMAND]', 'show this help, or the options of a command; also --help and -h'],
  ['--version', 'show the version'],
]

/** Help on all commands, on those that begin with `words`, or on one. */
export function help(words: readonly string[], version: string): Report {
  const name = words.join(' ')
  const found = COMMANDS.get(name)
  if (found) return new Report(described(found), describeCommand(found))
  const group = [...COMMANDS.values()].filter((command) => name === '' || command.name.startsWith(`${name} `))
  if (group.length === 0) throw unknownCommand(words)
  return new Report(group.map(described), name === '' ? overview(version) : describeGroup(name, group))
}

const described = (command: Command) => {
  const { name, summary, positionals, options, example } = command
  const shown = options.map((option) => ({
    name: `--${option.name}`,
    value: option.value ?? null,
    required: option.required === true,
    summary: option.summary,
  }))
  return { name, summary, usage: usageOf(command), words: positionals, options: shown, example }
}

function overview(version: string): string {
  const sections = SECTIONS.map((title): readonly [string, (readonly [string, string])[]] => [
    title,
    [...COMMANDS.values()].filter(({ section }) => section === title).map(({ name, summary }) => [name, summary]),
  ])
  const blocks: (readonly [string, readonly (readonly [string, string])[]])[] = [...sections, ['Help', GENERAL]]
  const width = Math.max(...blocks.flatMap(([, rows]) => rows.map(([name]) => name.length)))
  const lines = blocks.flatMap(([title, rows]) => [
    '',
    `${title}:`,
    ...rows.map(([name, summary]) => `  ${name.padEnd(width)}  ${summary}`),
  ])
  return `${[
    `Trivium ${version}: a self-hosted gateway to AI models`,
    '',
    `Usage: ${PROGRAM} COMMAND [OPTIONS]`,
    ...lines,
    '',
    'All commands accept --json and can be used while the server runs. They use the environment of the server:',
    'TRIVIUM_DATA (data folder, default ./data), TRIVIUM_CONFIG (default ./trivium.yaml), DATABASE_URL.',
    'Exit codes: 0 success, 1 failure, 2 invalid usage.',
  ].join('\n')}\n`
}

function describeGroup(name: string, commands: readonly Command[]): string {
  const rows = commands.map((command) => [`  ${command.name}`, command.summary])
  return `${[
    `Usage: ${PROGRAM} ${name} COMMAND [OPTIONS]`,
    '',
    ...align(rows, [false, false], '  '),
    '',
    `'${PROGRAM} help ${name} COMMAND' shows the options of one of them.`,
  ].join('\n')}\n`
}

function describeCommand(command: Command): string {
  const { summary, positionals, options, example } = command
  const rows = [
    ...positionals.map((each) => [`  ${each.name}`, each.summary]),
    ...[...options, JSON_OPTION, HELP_OPTION].map((option) => [
      `  ${optionText(option)}`,
      `${option.summary}${option.required ? ' (required)' : ''}`,
    ]),
  ]
  return `${[
    `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`,
    '',
    `Usage: ${PROGRAM} ${usageOf(command)}`,
    '',
    ...align(rows, [false, false], '  '),
    '',
    'Example:',
    `  ${PROGRAM} ${example}`,
  ].join('\n')}\n`
}

export function unknownCommand(words: readonly string[]): UsageError {
  const [first = ''] = words
  const group = [...COMMANDS.keys()].filter((name) => name.startsWith(`${first} `))
  const asWritten = words.slice(0, 2).join(' ')
  const see = `'${PROGRAM} help' lists the commands`
  if (group.length > 0) {
    const known = group.map((name) => name.slice(first.length + 1)).join(', ')
    return new UsageError(
      words.length === 1
        ? `'${first}' requires a subcommand: ${known}; ${see}`
        : `unknown command '${asWritten}'; subcommands of ${first}: ${known}; ${see}`,
    )
  }
  const guess = closestMatch(asWritten, COMMANDS.keys()) ?? closestMatch(first, COMMANDS.keys())
  return new UsageError(`unknown command '${asWritten}'; ${guess ? `did you mean '${guess}'? ` : ''}${see}`)
}
