// How commands are declared: what is not said here follows from the input of their operation.
import type { TObject, TSchema } from 'typebox'
import { OPERATIONS } from '../../operate/index.ts'
import type { Arguments } from '../args.ts'
import { type LocalCommand, type Option, operationOf, type Positional, type StoreCommand } from '../command.ts'
import { list, OPTIONS_OF, pastTime, time, wholeNumber } from './inputs.ts'

/** Summaries by option, as in `'grace SECONDS'`: an option is named as the field that it sets, or as `OPTIONS_OF` says.
 * `!` at the end: it is required; `+`: it may be set several times. */
export type OptionTexts = Readonly<Record<string, string>>

export type Declared = Omit<StoreCommand, 'section' | 'positionals' | 'options' | 'example' | 'input'> & {
  /** They set the required fields that no option sets, in their order. */
  positionals?: readonly Positional[]
  options?: OptionTexts
  /** Absent: the name alone. */
  example?: string
  /** What replaces the fields that follow from options; undefined leaves one out. */
  input?: StoreCommand['input']
}

export const commandsIn = (section: StoreCommand['section'], declared: readonly Declared[]): StoreCommand[] =>
  declared.map(({ positionals = [], options = {}, ...command }) => {
    const shown = optionsOf(options)
    const { input = () => ({}) } = command
    return {
      example: command.name,
      ...command,
      section,
      positionals,
      options: shown,
      input: async (parsed, context) =>
        present({ ...fieldsFrom({ ...command, options: shown }, parsed), ...(await input(parsed, context)) }),
    }
  })

type DeclaredLocal = Pick<LocalCommand, 'name' | 'summary' | 'run'> &
  Pick<Declared, 'positionals' | 'options' | 'example'>

/** The same for commands that are no operations. */
export const localCommandsIn = (section: LocalCommand['section'], declared: readonly DeclaredLocal[]): LocalCommand[] =>
  declared.map(({ positionals = [], options = {}, example, ...command }) => ({
    ...command,
    section,
    positionals,
    options: optionsOf(options),
    example: example ?? command.name,
  }))

const optionsOf = (texts: OptionTexts): Option[] =>
  Object.entries(texts).map(([shown, summary]) => {
    const value = shown.split(' ')[1]?.replace(/[!+]$/, '')
    return {
      name: nameOf(shown),
      ...(value === undefined ? {} : { value }),
      ...(shown.endsWith('!') ? { required: true as const } : {}),
      ...(shown.endsWith('+') ? { repeats: true as const } : {}),
      summary,
    }
  })

/** `amount` of `amount USD!`. */
export const nameOf = (shown: string): string => shown.split(' ')[0] ?? ''

/** Without the fields that are undefined. */
const present = (fields: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

type Parts = Pick<StoreCommand, 'name' | 'options'> & Partial<StoreCommand>

function fieldsFrom({ options, rows, mayRemove, ...command }: Parts, parsed: Arguments) {
  const { properties, required } = OPERATIONS.get(operationOf(command))?.input as TObject
  const found: Record<string, unknown> = {}
  const nested: Record<string, Record<string, unknown>> = {}
  const taken = new Set<string>()
  for (const { name, value: shown } of options) {
    const path = fieldOf(name, properties)
    if (path === undefined || (name === 'limit' && rows !== undefined)) continue
    const [field = '', part] = path.split('.')
    taken.add(field)
    const schema = part === undefined ? properties[field] : (properties[field] as TObject).properties[part]
    const text = parsed.values[name]
    const value =
      parsed.flags.has(name) || (text === undefined ? undefined : read({ name, shown, mayRemove }, text, schema))
    if (value === undefined) continue
    if (part === undefined) found[field] = value
    else {
      nested[field] ??= {}
      nested[field][part] = value
    }
  }
  const rest = required.filter((field) => !taken.has(field))
  const named = Object.fromEntries(
    rest.flatMap((field, index) => {
      const word = parsed.positionals[index]
      return word === undefined ? [] : [[field, word]]
    }),
  )
  return { ...named, ...found, ...nested }
}

/** `limits.rpm` for a field in a field. */
export function fieldOf(option: string, properties: TObject['properties']): string | undefined {
  const name = option.replaceAll('-', '_')
  const named = Object.keys(OPTIONS_OF).filter((field) => OPTIONS_OF[field]?.includes(option))
  return [...named, name].find((path) => Object.hasOwn(properties, path.split('.')[0] ?? ''))
}

type Json = { type?: string; anyOf?: readonly Json[] }

type Given = { name: string; shown: string | undefined; mayRemove: true | undefined }

function read({ name, shown, mayRemove }: Given, text: string, schema: TSchema | undefined): unknown {
  const { anyOf = [schema as Json] } = schema as Json
  if (mayRemove && text === 'none' && anyOf.some(({ type }) => type === 'null')) return null
  const types = anyOf.map(({ type }) => type)
  if (types.includes('integer')) return wholeNumber(text)
  if (types.includes('boolean')) return text === 'true' ? true : text === 'false' ? false : text
  if (types.includes('array')) return list(name, text)
  if (shown !== 'TIME') return text
  return TO_COME.includes(name) ? time(text) : pastTime(text)
}

/** Any other time may be so many days or hours before now. */
const TO_COME = ['expires', 'until']
