// The commands on settings, on the keys of stored upstreams, and on the revisions of everything that is stored.
import type { ShownSetting } from '../../../operate/configuration/settings.ts'
import type { Shown } from '../../../operate/configuration/show.ts'
import type { Arguments } from '../../args.ts'
import { UsageError } from '../../errors.ts'
import { describe } from '../../output.ts'
import { type Column, table } from '../../table.ts'
import { ROWS } from '../accounts/options.ts'
import { shown } from '../columns.ts'
import { commandsIn } from '../declare.ts'
import { readText } from '../read-text.ts'
import { REASON, readKeys, remarkOf, sourceText } from './entry-commands.ts'
import { type Fields, readValue, rejectSecrets, setAt } from './read-entry.ts'

const SECTION = 'Configuration and upstreams'
const NAME = { name: 'NAME', summary: 'its path in the file, such as registration.trial_credit' } as const
const UPSTREAM = { name: 'UPSTREAM', summary: 'the id of a stored upstream' } as const
const KEY = { name: 'KEY', summary: "the id of the key; 'upstream key list' shows it" } as const
const REVISION = { name: 'N', summary: "the number of the revision; 'config revisions' shows it" } as const
const ofKey = { positionals: [UPSTREAM, KEY], options: REASON }
const ofNewKey = {
  options: {
    'key-file FILE!': "the file with the key; '-': standard input",
    'note TEXT': 'what it is for',
    ...REASON,
  },
  input: async (parsed: Arguments) => {
    const [secret, more] = await readKeys(parsed.values['key-file'] ?? '-')
    if (more !== undefined) throw new UsageError('one key at a time: the file has several lines')
    return { secret }
  },
}
const ofRevision = {
  positionals: [REVISION],
  show: (result: unknown) => {
    const { changes, ...revision } = result as { changes: readonly object[] }
    return describe(revision) + changes.map((change) => `  ${JSON.stringify(change)}\n`).join('')
  },
}

export const SETTINGS_COMMANDS = commandsIn(SECTION, [
  {
    name: 'upstream key list',
    positionals: [UPSTREAM],
    summary: 'list the keys of an upstream by their last four characters',
    example: 'upstream key list main',
    json: ({ items }: { items: readonly object[] }) => items,
    show: shown(...['id', 'ends in=last_four', 'added_at', 'calls (24 h)=requests', 'failed', 'note'], {
      title: 'change it',
      cell: ({ place }) => (place === null ? null : `in ${place}`),
    }),
  },
  {
    name: 'upstream key add',
    positionals: [UPSTREAM],
    ...ofNewKey,
    summary: 'add a key to a stored upstream',
    example: 'upstream key add main --key-file -',
  },
  {
    name: 'upstream key replace',
    positionals: [UPSTREAM, KEY],
    ...ofNewKey,
    summary: 'put a new key in the place of one, once the upstream has accepted it',
    example: 'upstream key replace main sec_5f0c27d1a94be386 --key-file -',
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
    name: 'settings show',
    positionals: [{ ...NAME, optional: true, summary: 'only this setting, or all below it' }],
    summary: 'show the settings with their source; with a name, defaults too',
    example: 'settings show registration',
    show: showSettings,
  },
  {
    name: 'settings set',
    operation: 'settings change',
    positionals: [NAME, { name: 'VALUE', summary: "as in a configuration file; '-': standard input, for secrets" }],
    options: REASON,
    summary: 'store a setting; takes effect immediately',
    example: 'settings set registration.trial_credit 5.00',
    input: async (parsed) => {
      const [name = '', written = ''] = parsed.positionals
      const value = readValue(written === '-' ? (await readText('-')).trim() : written, name)
      if (value === null) throw new UsageError(`'settings unset ${name}' removes a setting`)
      if (written !== '-') rejectSecrets({ kind: 'setting', id: name, value }, `settings set ${name} -`)
      return patchOf(name, value)
    },
    show: showSettings,
  },
  {
    name: 'settings unset',
    operation: 'settings change',
    positionals: [NAME],
    options: REASON,
    summary: 'remove a stored setting and all below it',
    example: 'settings unset registration.trial_credit',
    input: ({ positionals: [name = ''] }) => patchOf(name, null),
    show: showSettings,
  },
  {
    name: 'config entries',
    options: {
      ...ROWS,
      'kind KIND': 'only upstreams, models, groups or settings: upstream, model, ...',
      'source SOURCE': 'only entries from: file, environment, stored, built-in',
      'state STATE': "only those that are: 'in force', invalid, shadowing",
    },
    summary: 'list all entries and written settings with their source',
    example: 'config entries --state invalid',
    rows: 100,
    show: shown(
      'kind',
      'name',
      { title: 'source', cell: ({ source }) => sourceText(source as Shown['source']) },
      'state',
      'mistakes',
    ),
  },
  {
    name: 'config revisions',
    operation: 'revision list',
    options: { ...ROWS },
    summary: 'list who changed the stored configuration, newest first',
    example: 'config revisions --limit 20',
    rows: 100,
    show: shown('revision=id', 'time=at', 'actor', 'action', 'reason'),
  },
  {
    ...ofRevision,
    name: 'config revision',
    operation: 'revision show',
    options: { 'compare N': 'show the differences from this revision; 0: nothing stored' },
    summary: 'show what a revision changed, or how it differs from another',
    example: 'config revision 7 --compare 3',
  },
  {
    ...ofRevision,
    name: 'config restore',
    operation: 'revision restore',
    options: REASON,
    summary: 'restore the stored configuration of a revision as a new revision; 0: nothing stored',
    example: 'config restore 7 --reason "the new price was wrong"',
  },
])

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
