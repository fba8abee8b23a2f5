// docs/reference/command-line.md
import { type Command, optionText, SECTIONS, usageOf } from '@trivium/gateway/cli/command.ts'
import { ALIASES, COMMANDS } from '@trivium/gateway/cli/help.ts'
import type { Generated } from '../generated.ts'
import { code, table, wrapped } from '../markdown.ts'

const WIDTH = 96

export const COMMAND_LINE_PAGE: readonly Generated[] = [
  { file: 'docs/reference/command-line.md', section: 'commands', text: () => SECTIONS.map(sectionText).join('\n\n') },
]

function sectionText(title: (typeof SECTIONS)[number]): string {
  const commands = [...COMMANDS.values()]
    .filter(({ section }) => section === title)
    .toSorted((one, other) => one.name.localeCompare(other.name))
  return [`## ${title}`, ...commands.map(commandText)].join('\n\n')
}

function commandText(command: Command): string {
  const { name, summary, positionals, options, atLeastOne, example } = command
  const former = [...ALIASES].filter(([, current]) => current === name).map(([alias]) => code(alias))
  const sentences = [
    `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`,
    ...(atLeastOne ? [`Set at least one of ${atLeastOne.map((each) => code(`--${each}`)).join(', ')}.`] : []),
    ...(former.length > 0 ? [`Former name: ${former.join(', ')}.`] : []),
  ]
  const rows = [
    ...positionals.map((each) => [code(each.name), `${each.summary}${each.optional ? ' (optional)' : ''}`]),
    ...options.map((option) => [
      code(optionText(option)),
      `${option.summary}${option.required ? ' (required)' : ''}${option.repeats ? ' (may be repeated)' : ''}`,
    ]),
  ]
  return [
    `### ${name}`,
    wrapped(sentences.join(' ')),
    ['```text', usageText(command), '', `Example: trivium ${example}`, '```'].join('\n'),
    ...(rows.length > 0 ? [table(['Argument', 'Meaning'], rows)] : []),
  ].join('\n\n')
}

/** Long lines are broken before an argument. */
function usageText(command: Command): string {
  const lines = ['']
  for (const part of `trivium ${usageOf(command)}`.match(/\[[^\]]*\](?:\.\.\.)?|\S+/g) ?? []) {
    const line = lines.at(-1) ?? ''
    if (line === '') lines[lines.length - 1] = part
    else if (line.length + 1 + part.length <= WIDTH) lines[lines.length - 1] = `${line} ${part}`
    else lines.push(`    ${part}`)
  }
  return lines.join('\n')
}
