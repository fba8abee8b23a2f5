// Entries of the configuration, settings and revisions, as the admin API shows them.
import {
  boolean,
  fields,
  ID,
  listOf,
  mapOf,
  nullable,
  number,
  string,
  TIME,
  unknown,
  word,
} from '../../request/schema/schema.ts'
import { NOUNS, type NounKind } from '../configuration/entry-nouns.ts'
import { resource } from './resource.ts'

const SOURCE_FIELDS = {
  from: word('file', 'environment', 'stored', 'built-in'),
  file: nullable(string()),
  line: nullable(number()),
  variable: nullable(string()),
  revision: nullable(number()),
}
const SOURCE = fields(SOURCE_FIELDS)

/** Each field as it is written, null where it is not. */
function entry<const Kind extends NounKind>(kind: Kind) {
  const written = Object.fromEntries(NOUNS[kind].fields.map((name) => [name, unknown()]))
  return resource(
    kind,
    fields({
      id: ID,
      ...written,
      source: SOURCE,
      read_only: boolean('Whether it can only be changed where it comes from.'),
      shadowed: nullable(mapOf(unknown())),
      invalid: nullable(listOf(string())),
    }),
  )
}

export const UPSTREAM = entry('upstream')
export const MODEL = entry('model')
export const GROUP = entry('group')

export const UPSTREAM_KEY = resource(
  'upstream_key',
  fields({ id: nullable(ID), last_four: string(), added_at: nullable(TIME) }),
)
export const REMOVED_UPSTREAM_KEY = resource('upstream_key', fields({ id: ID }))

export const SETTINGS = resource(
  'settings',
  fields({
    id: ID,
    settings: listOf(
      fields({
        id: string('Its path, such as `server.limits.body`.'),
        type: string('The form of its value, such as `duration`.'),
        words: listOf(string()),
        description: string(),
        default: unknown(),
        value: unknown(),
        source: fields({ ...SOURCE_FIELDS, from: word('file', 'environment', 'stored', 'built-in', 'default') }),
        read_only: boolean(),
        secret: boolean('Its value is shown as its last four characters.'),
        needs: nullable(word('owner', 'admin')),
        may_change: boolean('Whether you may change it here.'),
        shadowed: nullable(fields({ value: unknown(), revision: number() })),
        invalid: nullable(listOf(string())),
      }),
    ),
  }),
)

export const EXPORTED = resource(
  'configuration',
  fields({
    id: ID,
    file: string('YAML.'),
    variables: listOf(fields({ name: string(), of: string('What it is the secret of.') })),
    left_out: listOf(string('An invalid entry, which is not in force.')),
  }),
)
export const IMPORTED = resource(
  'configuration',
  fields({ id: ID, entries: listOf(string()), revision: number(), shadowed: listOf(string()) }),
)

const REVISION_FIELDS = {
  id: ID,
  at: TIME,
  actor: string(),
  request_id: nullable(string()),
  action: string(),
  reason: string(),
}
export const REVISION = resource('revision', fields(REVISION_FIELDS))
export const REVISION_SHOWN = resource(
  'revision',
  fields({
    ...REVISION_FIELDS,
    changes: listOf(
      fields({
        kind: word('upstream', 'model', 'group', 'setting'),
        id: ID,
        before: unknown(),
        after: unknown(),
      }),
    ),
  }),
)
