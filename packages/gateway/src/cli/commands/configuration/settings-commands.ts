// The commands on settings, on the keys of stored upstreams, and on the revisions of everything that is stored.
import type { ShownSetting } from '../../../administration/configuration/settings.ts'
import type { Shown } from '../../../administration/configuration/show.ts'
import type { Arguments } from '../../args.ts'
import type { StoreCommand } from '../../command.ts'
import { UsageError } from '../../errors.ts'
import { describe } from '../../output.ts'
import { type Column, table } from '../../table.ts'
import { ROWS } from '../accounts/options.ts'
import { shown, text, time } from '../columns.ts'
import { present } from '../inputs.ts'
import { readText } from '../read-text.ts'
import { KEY_FILE, REASON, readKeys, remarkOf, sourceText } from './entry-commands.ts'
import { type Fields, readValue, rejectSecrets, setAt } from './read-entry.ts'

const SECTION = 'Configuration and upstreams'
const NAME = { name: 'NAME', summary: 'its path in the file, such as registration.trial_credit' } as const
const UPSTREAM = { name: 'UPSTREAM', summary: 'the id of a stored upstream' } as const
const KEY = { name: 'KEY', summary: "the id of the key; 'upstream key list' shows it" } as const
const REVISION = { name: 'N', summary: "the number of the revision; 'config revisions' shows it" } as const
const reasonIn = ({ values: { reason } }: Arguments) => present([['reason', reason]])

const base = { section: SECTION, positionals: [], options: [] } as const
const ofKey = {
  ...base,
  positionals: [UPSTREAM, KEY],
  options: [REASON],
  input: (parsed: Arguments) => ({ upstream: parsed.positionals[0], key: parsed.positionals[1], ...reasonIn(parsed) }),
} as const
const ofRevision = {
  ...base,
  positionals: [REVISION],
  show: (result: unknown) => {
    const { changes, ...revision } = result as { changes: readonly object[] }
    return describe(revision) + changes.map((change) => `  ${JSON.stringify(change)}\n`).join('')
  },
} as const

export const SETTINGS_COMMANDS: readonly StoreCommand[] = [
  {
    ...base,
    name: 'upstream key list',
    positionals: [UPSTREAM],
    summary: 'list the keys of an upstream by their last four characters',
    example: 'upstream key list main',
    input: ({ positionals: [upstream] }) => ({ upstream }),
    json: ({ items }: { items: readonly object[] }) => items,
    show: shown([
      text('id', 'id'),
      text('ends in', 'last_four'),
      time('added', 'added_at'),
      { title: 'change it', cell: ({ place }) => (place === null ? null : `in ${place}`) },
    ]),
  },
  {
    ...base,
    name: 'upstream key add',
    positionals: [UPSTREAM],
    options: [{ ...KEY_FILE, required: true, summary: "the file with the key; '-': standard input" }, REASON],
    summary: 'add a key to a stored upstream',
    example: 'upstream key add main --key-file -',
    input: async (parsed) => {
      const [secret, more] = await readKeys(parsed.values['key-file'] ?? '-')
      if (more !== undefined) throw new UsageError('add one key at a time: the file has several lines')
      return { upstream: parsed.positionals[0], secret, ...reasonIn(parsed) }
    },
  },
  {
    ...ofKey,
    name: 'upstream key remove',
    summary: 'remove a key from a stored upstream; restoring a revision brings it back',
    example: 'upstream key remove main sec_5f0c27d1a94be386',
  },
  {
    ...ofKey,
    name: 'upstream key erase',
    summary: 'remove a key and erase its secret; revisions that use it can no longer be restored',
    example: 'upstream key erase main sec_5f0c27d1a94be386',
  },
  {
    ...base,
    name: 'settings show',
    positionals: [{ ...NAME, optional: true, summary: 'only this setting, or all below it' }],
    summary: 'show the settings with their source; with a name, defaults too',
    example: 'settings show registration',
    input: () => ({}),
    show: showSettings,
  },
  {
    ...base,
    name: 'settings set',
    operation: 'settings change',
    positionals: [NAME, { name: 'VALUE', summary: "as in a configuration file; '-': standard input, for secrets" }],
    options: [REASON],
    summary: 'store a setting; takes effect immediately',
    example: 'settings set registration.trial_credit 5.00',
    input: async (parsed) => {
      const [name = '', written = ''] = parsed.positionals
      const value = readValue(written === '-' ? (await readText('-')).trim() : written, name)
      if (value === null) throw new UsageError(`'settings unset ${name}' removes a setting`)
      if (written !== '-') rejectSecrets({ kind: 'setting', id: name, value }, `settings set ${name} -`)
      return { ...patchOf(name, value), ...reasonIn(parsed) }
    },
    show: showSettings,
  },
  {
    ...base,
    name: 'settings unset',
    operation: 'settings change',
    positionals: [NAME],
    options: [REASON],
    summary: 'remove a stored setting and all below it',
    example: 'settings unset registration.trial_credit',
    input: (parsed) => ({ ...patchOf(parsed.positionals[0] ?? '', null), ...reasonIn(parsed) }),
    show: showSettings,
  },
  {
    ...base,
    name: 'config entries',
    options: [
      ROWS,
      { name: 'kind', value: 'KIND', summary: 'only upstreams, models, groups or settings: upstream, model, ...' },
      { name: 'source', value: 'SOURCE', summary: 'only entries from: file, environment, stored, built-in' },
      { name: 'state', value: 'STATE', summary: "only those that are: 'in force', invalid, shadowing" },
    ],
    summary: 'list all entries and written settings with their source',
    example: 'config entries --state invalid',
    input: ({ values: { kind, source, state } }) =>
      present([
        ['kind', kind],
        ['from', source],
        ['state', state],
      ]),
    rows: 100,
    show: shown([
      text('kind', 'kind'),
      text('name', 'name'),
      { title: 'source', cell: ({ source }) => sourceText(source as Shown['source']) },
      text('state', 'state'),
      text('mistakes', 'mistakes'),
    ]),
  },
  {
    ...base,
    name: 'config revisions',
    operation: 'revision list',
    options: [ROWS],
    summary: 'list who changed the stored configuration, newest first',
    example: 'config revisions --limit 20',
    input: () => ({}),
    rows: 100,
    show: shown([
      text('revision', 'id'),
      time('time', 'at'),
      text('actor', 'actor'),
      text('action', 'action'),
      text('reason', 'reason'),
    ]),
  },
  {
    ...ofRevision,
    name: 'config revision',
    operation: 'revision show',
    options: [{ name: 'compare', value: 'N', summary: 'show the differences from this revision; 0: nothing stored' }],
    summary: 'show what a revision changed, or how it differs from another',
    example: 'config revision 7 --compare 3',
    input: ({ positionals: [revision], values: { compare } }) => ({ revision, ...present([['compare', compare]]) }),
  },
  {
    ...ofRevision,
    name: 'config restore',
    operation: 'revision restore',
    options: [REASON],
    summary: 'restore the stored configuration of a revision as a new revision; 0: nothing stored',
    example: 'config restore 7 --reason "the new price was wrong"',
    input: (parsed) => ({ revision: parsed.positionals[0], ...reasonIn(parsed) }),
  },
]

function patchOf(name: string, value: unknown): Fields {
  const patch: Fields = {}
  setAt(patch, name.split('.'), value)
  return patch
}

const SETTING: readonly Column<ShownSetting>[] = [
  { title: 'setting', cell: ({ id }) => id },
  { title: 'value', cell: (setting) => written(setting) },
  {
    title: 'source',
    cell: ({ source }) => (source.from === 'default' ? 'default' : sourceText(source as Shown['source'])),
  },
  { title: 'remark', cell: (setting) => remarkOf(setting) },
]

const written = (setting: ShownSetting): string => {
  const value = setting.source.from === 'default' ? setting.default : setting.value
  return value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Those that the command names, with defaults; without a name, those that are written. */
function showSettings(result: unknown, { positionals: [name] }: Arguments): string {
  const { settings } = result as { settings: readonly ShownSetting[] }
  return table(
    SETTING,
    settings.filter(({ id, source }) =>
      name === undefined ? source.from !== 'default' : id === name || id.startsWith(`${name}.`),
    ),
  )
}
