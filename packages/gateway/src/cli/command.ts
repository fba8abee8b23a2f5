// The description of a command, which parsing, help and execution share.

import type { FileConfig } from '../config/types.ts'
import type { OperationName } from '../operate/index.ts'
import type { Arguments, Flags } from './args.ts'
import type { CommandContext } from './context.ts'
import { UsageError } from './errors.ts'

export type Option = {
  name: string
  /** The placeholder of the value in the help, such as USD; absent: a flag without a value. */
  value?: string
  required?: true
  /** It may be set several times. */
  repeats?: true
  summary: string
}

/** An argument without a name, such as the ID in `key revoke ID`. */
export type Positional = { name: string; optional?: true; summary: string }

export const SECTIONS = [
  'Server',
  'Accounts and keys',
  'Reports',
  'Configuration and upstreams',
  'Backup',
  'Checks',
] as const

type CommandBase = {
  name: string
  section: (typeof SECTIONS)[number]
  summary: string
  positionals: readonly Positional[]
  options: readonly Option[]
  /** At least one of these must be set. */
  atLeastOne?: readonly string[]
  /** The command line without the program's name. */
  example: string
}

/** An operation: runs in the server if there is one, else opens the database. */
export type StoreCommand = CommandBase & {
  /** Absent: the one with the name of the command. */
  operation?: OperationName
  /** The operation's input from the command line, which the operation checks. */
  input(parsed: Arguments, context?: CommandContext): object | Promise<object>
  /** With its option --dry-run the operation does all but the change, and the result says what it would be. */
  mayRehearse?: true
  /** `none` removes a limit or a role. */
  mayRemove?: true
  /** Only a running server knows the whole answer: it is asked on every engine, if there is one. */
  asksServer?: true
  /** Runs in place of the operation where there is no database yet. */
  withoutDatabase?(input: object, config: FileConfig, context: CommandContext): Promise<unknown>
  /** Calls the operation more than once; `run` adds fields to its input. Absent: one call. */
  drive?(run: (more: object) => Promise<unknown>, parsed: Arguments): Promise<unknown>
  /** The operation gives pages, of which so many rows are shown unless --limit says another number; 0: all. */
  rows?: number
  /** The result as --json prints it; absent: as it is. */
  json?(result: never): unknown
  /** Formats that for people; absent: one field per line. */
  show?(result: unknown, parsed: Arguments): string
}

export type LocalCommand = CommandBase & {
  run(parsed: Arguments, context: CommandContext, json: boolean): Promise<unknown>
}

export type Command = StoreCommand | LocalCommand

export const flagsOf = ({ options }: Command): Flags =>
  Object.fromEntries(options.map(({ name, value, repeats }) => [name, kindOf(value, repeats)]))

const kindOf = (value: string | undefined, repeats = false): Flags[string] =>
  value === undefined ? 'flag' : repeats ? 'values' : 'value'

/** As in `account credit --account EMAIL --amount USD [--reason TEXT]`. */
export function usageOf({ name, positionals, options }: Command): string {
  const inBrackets = (text: string, isOptional: boolean) => (isOptional ? `[${text}]` : text)
  return [
    name,
    ...positionals.map((each) => inBrackets(each.name, each.optional === true)),
    ...options.map(
      (option) => inBrackets(optionText(option), option.required !== true) + (option.repeats ? '...' : ''),
    ),
  ].join(' ')
}

export const optionText = ({ name, value }: Option): string => `--${name}${value === undefined ? '' : ` ${value}`}`

/** Checks that do not depend on the state of the gateway. */
export function checkArguments(command: Command, { positionals, values, lists }: Arguments): void {
  const least = command.positionals.filter(({ optional }) => !optional).length
  if (positionals.length < least || positionals.length > command.positionals.length) {
    const wanted = command.positionals.map(({ name }) => name).join(' ') || 'no positional arguments'
    const [missing] = command.positionals.slice(positionals.length)
    throw new UsageError(
      missing && positionals.length < least
        ? `'${command.name}' requires ${missing.name}: ${missing.summary}`
        : `'${command.name}' takes ${wanted}, not '${positionals.join(' ')}'`,
    )
  }
  for (const { name, required } of command.options) {
    if (required && !values[name]) throw new UsageError(`--${name} is required`)
  }
  const names = command.atLeastOne
  if (names && !names.some((name) => name in values || name in lists))
    throw new UsageError(`set at least one of ${names.map((name) => `--${name}`).join(', ')}`)
}

/** The operation that a command calls. */
export const operationOf = ({ name, operation }: Pick<StoreCommand, 'name' | 'operation'>): string => operation ?? name
