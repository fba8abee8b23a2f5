// Entries of the configuration, settings and revisions, as the admin API shows them.

import { MODEL_TYPES } from '../../modalities/index.ts'
import {
  boolean,
  fields,
  ID,
  listOf,
  mapOf,
  nullable,
  number,
  optional,
  string,
  TIME,
  USD,
  unknown,
  word,
} from '../../request/schema/schema.ts'
import { NOUNS, type NounKind } from '../configuration/entry-nouns.ts'
import { resource } from './resource.ts'

/** `no_price`, `no_route`, `no_group`: nobody can call it. */
export const MODEL_PROBLEMS = ['invalid', 'no_price', 'no_route', 'no_group', 'below_cost', 'shadowed'] as const

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

const PRICE = mapOf(unknown())
const PERCENT = nullable(string('Decimal; null: not known.'))
const COST_ONLY = 'Absent without the permission see_costs.'

export const LISTED_MODEL = resource(
  'model',
  fields({
    ...MODEL.properties,
    effective: nullable(
      fields({
        type: word(...MODEL_TYPES),
        price: nullable(PRICE),
        routes: listOf(
          fields({
            upstream: string(),
            model: string(),
            base_model: optional(string('The model behind an opaque name.')),
            priority: number(),
            weight: number(),
            cost: optional(nullable(PRICE)),
            margins: optional(
              nullable(listOf(fields({ figure: string(), price_usd: USD, cost_usd: USD, margin_percent: PERCENT }))),
            ),
          }),
        ),
        offers: listOf(fields({ group: string(), price: PRICE, multiplier: string(), has_own_price: boolean() })),
      }),
    ),
    problems: listOf(word(...MODEL_PROBLEMS)),
    margin_percent: optional(
      nullable(string(`The lowest of the routes that are tried first; null: not known. ${COST_ONLY}`)),
    ),
    last_7_days: fields({
      requests: number(),
      charged_usd: USD,
      upstream_cost_usd: optional(string(`Decimal USD, as far as it is known. ${COST_ONLY}`)),
      unknown_costs: optional(number(`Requests whose cost is not known. ${COST_ONLY}`)),
    }),
  }),
)

export const LISTED_GROUP = resource(
  'group',
  fields({
    ...GROUP.properties,
    keys: number('Keys that are in use.'),
    models_offered: number('Models that its keys can call.'),
  }),
)

export const PRICE_IMPACT = resource(
  'price_impact',
  fields({
    id: ID,
    days: number(),
    from: string('The begin of what was looked at.'),
    is_part: boolean('Whether there are older requests in the range than were looked at.'),
    requests: number(),
    left_out: number('Requests that cannot be priced again.'),
    charged_usd: string('Decimal USD, with what could not be paid.'),
    would_be_charged_usd: USD,
    upstream_cost_usd: USD,
    unknown_costs: number(),
    accounts: number(),
    accounts_pay_more: number(),
    accounts_pay_less: number(),
    most_affected: listOf(
      fields({ account_id: ID, account: nullable(string()), charged_usd: USD, would_be_charged_usd: USD }),
    ),
    prices: listOf(
      fields({
        model: string(),
        group: string('Of those who pay it.'),
        type: word(...MODEL_TYPES),
        price: nullable(PRICE),
        would_be_price: nullable(PRICE),
      }),
    ),
  }),
)

export const UPSTREAM_KEY = resource(
  'upstream_key',
  // `place`: where a key that is not stored can be changed.
  fields({
    id: nullable(ID),
    last_four: string(),
    added_at: nullable(TIME),
    added_by: nullable(string('Such as `person/7`; null: not known.')),
    added_by_name: optional(nullable(string())),
    note: nullable(string()),
    requests: number('Calls with it in the last 24 hours.'),
    failed: number('Those of them that failed.'),
    place: optional(nullable(string())),
  }),
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

/** An entry that is in force, or that is stored and cannot be. */
export const ENTRY = resource(
  'entry',
  fields({
    id: string('Its key, such as `models/gpt-x`.'),
    kind: word('upstream', 'model', 'group', 'setting'),
    name: string('Its id; of a setting, its path.'),
    source: SOURCE,
    state: word('in force', 'invalid'),
    mistakes: listOf(string()),
    shadowed_revision: nullable(number('The revision of the stored entry that this one overrides.')),
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
  fields({
    id: ID,
    entries: listOf(string()),
    revision: number(),
    shadowed: listOf(string()),
    left_out: listOf(string('What only a file can have, such as `server.tls.cert`.')),
  }),
)

const REVISION_FIELDS = {
  id: ID,
  at: TIME,
  actor: string(),
  actor_name: nullable(string('An email address, or the name of an admin key.')),
  request_id: nullable(string()),
  action: string(),
  reason: string(),
  changed: number('How many entries differ.'),
}
const KIND = word('upstream', 'model', 'group', 'setting')
export const REVISION = resource(
  'revision',
  fields({
    ...REVISION_FIELDS,
    changes: listOf(fields({ kind: KIND, id: ID, change: word('created', 'changed', 'deleted') })),
  }),
)
export const REVISION_SHOWN = resource(
  'revision',
  fields({
    ...REVISION_FIELDS,
    at: nullable(TIME),
    compared_with: nullable(ID),
    changes: listOf(
      fields({
        kind: KIND,
        id: ID,
        before: unknown(),
        after: unknown(),
      }),
    ),
  }),
)
