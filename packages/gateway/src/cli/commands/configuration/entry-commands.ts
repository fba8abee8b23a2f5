// The commands on upstreams, models and groups of the configuration: one set for each noun.

import { DEFAULT_TYPE, MODEL_TYPES } from '../../../modalities/index.ts'
import type { NounKind } from '../../../operate/configuration/entry-nouns.ts'
import type { Shown } from '../../../operate/configuration/show.ts'
import type { Arguments } from '../../args.ts'
import type { CommandContext } from '../../context.ts'
import { UsageError } from '../../errors.ts'
import { describe } from '../../output.ts'
import { type Column, table } from '../../table.ts'
import { ROWS } from '../accounts/options.ts'
import { commandsIn, type Declared, nameOf, type OptionTexts } from '../declare.ts'
import { list } from '../inputs.ts'
import { readText } from '../read-text.ts'
import { type Fields, readEntryFile, rejectSecrets, setField } from './read-entry.ts'

/** An option for one field; others are set with --set. */
type FieldOption = { option: string; field: string; summary: string; read?(texts: string[]): unknown }
type Noun = { kind: NounKind; fields: readonly FieldOption[]; example: string; edit: string; columns: Column<Shown>[] }

const NOUNS: readonly Noun[] = [
  {
    kind: 'upstream',
    fields: [
      { option: 'kind KIND', field: 'kind', summary: 'the vendor or server, such as openai or vllm' },
      {
        option: 'dialect DIALECT',
        field: 'dialect',
        summary: 'instead of --kind: the protocol it speaks',
      },
      { option: 'base-url URL', field: 'base_url', summary: "default: the vendor's" },
      {
        option: 'region REGION',
        field: 'region',
        summary: 'international (default) or china: where the account is, if the vendor has both',
      },
      {
        option: 'auth TYPE',
        field: 'auth',
        summary:
          'aws, google or entra instead of keys; fields with --set, such as auth.region=us-east-1, secrets with --from',
        read: ([type]) => ({ type }),
      },
    ],
    example: 'upstream add --id main --kind openai --key-file openai.key --set max_concurrency=64',
    edit: 'upstream edit main --set max_concurrency=64',
    // `upstream list` shows their health, too.
    columns: [],
  },
  {
    kind: 'model',
    fields: [
      {
        option: 'type TYPE',
        field: 'type',
        summary: `${MODEL_TYPES.join(', ')}; a new model without it is ${DEFAULT_TYPE}`,
      },
      {
        option: 'route UPSTREAM[/MODEL]+',
        field: 'routes',
        summary: 'an upstream that serves it, and its name there; several routes are tried in order',
        read: (texts) => texts.map(routeOf),
      },
    ],
    example: 'model add --id fast --route main/gpt-4.1 --set price.input=2.00 --set price.output=8.00',
    edit: 'model edit fast --set price.input=2.50',
    columns: [
      { title: 'routes', cell: ({ routes }) => itemsOf(routes).map(routeText).join(', ') },
      {
        title: 'price usd',
        cell: ({ price }) => (price === null ? null : JSON.stringify(price).replace(/[{}"]/g, '')),
      },
    ],
  },
  {
    kind: 'group',
    fields: [
      {
        option: 'models A,B',
        field: 'models',
        summary: "the models that its keys may use; '*': all",
        read: ([text = '']) => list('models', text),
      },
      { option: 'multiplier N', field: 'multiplier', summary: 'multiplier for prices; default: 1' },
    ],
    example: 'group add --id staff --models "*" --multiplier 0.8',
    edit: 'group edit staff --multiplier 0.9',
    columns: [
      { title: 'models', cell: ({ models }) => itemsOf(models).join(', ') },
      { title: 'multiplier', cell: ({ multiplier }) => multiplier as string | null, right: true },
    ],
  },
]

const itemsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

function routeText(route: unknown): string {
  const { upstream, model } = route as { upstream: string; model?: string }
  return model === undefined ? upstream : `${upstream}/${model}`
}

/** Names of models may have further slashes. */
function routeOf(text: string): object {
  const [, upstream, model] = /^([^/]+)(?:\/(.+))?$/.exec(text) ?? []
  if (upstream === undefined) throw new UsageError(`--route must be UPSTREAM or UPSTREAM/MODEL, not '${text}'`)
  return model === undefined ? { upstream } : { upstream, model }
}

const FROM: OptionTexts = { 'from FILE': "its fields as YAML; '-': standard input" }
const SET: OptionTexts = {
  'set FIELD=VALUE+': 'a field as in a configuration file, such as price.input=2.50; null removes it',
}
const KEY_FILE: OptionTexts = { 'key-file FILE': "the keys of the upstream, one on each line; '-': standard input" }
export const REASON: OptionTexts = { 'reason TEXT': 'why, for the revision and the audit log' }

export const ENTRY_COMMANDS = commandsIn('Configuration and upstreams', NOUNS.flatMap(commandsOf))

function commandsOf(noun: Noun): Declared[] {
  const { kind, fields, example, edit, columns } = noun
  const own = Object.fromEntries(fields.map(({ option, summary }) => [option, summary]))
  const written = { ...own, ...(kind === 'upstream' ? KEY_FILE : {}), ...FROM, ...SET }
  const base = { positionals: [{ name: 'ID', summary: `the id of the ${kind}` }], show }
  const commands: Declared[] = [
    {
      ...base,
      name: `${kind} add`,
      operation: `${kind} create`,
      summary: `store ${kind === 'upstream' ? 'an' : 'a'} ${kind}; takes effect immediately`,
      positionals: [],
      options: { 'id ID': 'its id; default: that of --from', ...written, ...REASON },
      example,
      input: async (parsed, context) => {
        const { id: inFile, ...value } = await fieldsOf(noun, parsed, context)
        const id = parsed.values.id ?? inFile
        if (id === undefined) throw new UsageError('--id is required')
        return { ...value, id }
      },
    },
    {
      ...base,
      name: `${kind} edit`,
      operation: `${kind} change`,
      summary: `change fields of a stored ${kind}`,
      options: { ...written, ...REASON },
      atLeastOne: Object.keys(written).map(nameOf),
      example: edit,
      input: async (parsed, context) => {
        const { id, ...value } = await fieldsOf(noun, parsed, context)
        if (id !== undefined && id !== parsed.positionals[0])
          throw new UsageError(`the file has the id '${id}'; the id of an entry cannot be changed`)
        return value
      },
    },
    {
      ...base,
      name: `${kind} delete`,
      summary: `delete a stored ${kind}`,
      options: REASON,
      example: `${kind} delete ${edit.split(' ')[2]}`,
    },
    {
      ...base,
      name: `${kind} show`,
      summary: `show a${kind === 'upstream' ? 'n' : ''} ${kind}'s definition and its source`,
      example: `${kind} show ${edit.split(' ')[2]}`,
    },
  ]
  if (columns.length === 0) return commands
  const listed: Declared = {
    name: `${kind} list`,
    options: ROWS,
    summary: `list the ${kind}s of the file, the environment and the database`,
    rows: 100,
    show: (rows) => table([ID_COLUMN, ...columns, ...STATE_COLUMNS], rows as Shown[]),
  }
  return [...commands, listed]
}

/** A file first, then the options, of which each replaces a field. */
async function fieldsOf({ kind, fields: options }: Noun, parsed: Arguments, context?: CommandContext): Promise<Fields> {
  const { values, lists } = parsed
  if (values.from === '-' && values['key-file'] === '-')
    throw new UsageError('only one of --from and --key-file can read standard input')
  if (!context) throw new Error('fields are read by the command line only')
  const fields = values.from === undefined ? {} : await readEntryFile(values.from, context)
  const set: Fields = {}
  for (const each of lists.set ?? []) setField(set, each)
  rejectSecrets({ kind, id: '', value: set }, 'write it with --from, or a key with --key-file')
  for (const { option, field, read = ([text]: string[]) => text } of options) {
    const name = nameOf(option)
    const texts = lists[name] ?? (values[name] === undefined ? undefined : [values[name]])
    const value = texts && read(texts)
    if (value !== undefined)
      fields[field] = isMap(value) && isMap(fields[field]) ? { ...fields[field], ...value } : value
  }
  for (const each of lists.set ?? []) setField(fields, each)
  if (values['key-file'] !== undefined) fields.keys = await readKeys(values['key-file'])
  return fields
}

const isMap = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)

export async function readKeys(file: string): Promise<string[]> {
  const keys = (await readText(file)).split('\n').flatMap((line) => line.trim() || [])
  if (keys.length === 0) throw new UsageError(`${file === '-' ? 'standard input' : file} has no key`)
  return keys
}

const ID_COLUMN: Column<Shown> = { title: 'id', cell: ({ id }) => id }
const STATE_COLUMNS: readonly Column<Shown>[] = [
  { title: 'source', cell: ({ source }) => sourceText(source) },
  { title: 'remark', cell: (entry) => remarkOf(entry) },
]

export function sourceText({ from, file, line, variable, revision }: Shown['source']): string {
  if (from === 'file') return `${file}:${line}`
  if (from === 'environment') return `environment ${variable}`
  return from === 'stored' ? `stored, revision ${revision}` : from
}

export function remarkOf({
  shadowed,
  invalid,
}: {
  shadowed: object | null
  invalid: readonly string[] | null
}): string | null {
  if (invalid) return `invalid: ${invalid.join('; ')}`
  return shadowed ? 'shadows a stored one' : null
}

function show(result: unknown): string {
  const { source, read_only: _, shadowed, invalid, ...entry } = result as Shown
  const set = Object.entries(entry).filter(([, value]) => value !== null)
  const remark = remarkOf({ shadowed, invalid })
  return describe({ ...Object.fromEntries(set), source: sourceText(source), ...(remark === null ? {} : { remark }) })
}
