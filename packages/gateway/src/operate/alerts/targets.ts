// Where alerts are sent: webhooks and email addresses. Those that are stored are added, replaced and removed, each change in one revision.
import { newSigningSecret } from '../../access/secrets/callback-secret.ts'
import { emailName, webhookName } from '../../alerts/targets.ts'
import { isSigningSecret, isWebhookUrl } from '../../config/sections/alerts.ts'
import { fields, NOTHING, optional, rule, text } from '../../request/schema/schema.ts'
import { changeConfiguration, findEntry, readState, type State, type Wanted } from '../configuration/change.ts'
import { isObject } from '../configuration/merge-patch.ts'
import { unsealEntries } from '../configuration/secrets.ts'
import { rejectReadOnly } from '../configuration/settings.ts'
import { placeOf } from '../configuration/show.ts'
import { EMAIL, REASON } from '../inputs/schemas.ts'
import { type OperationContext, operation } from '../operation.ts'
import { rejected } from '../rejections.ts'
import { ALERT_TARGET, NEW_ALERT_TARGET } from '../resources/gateway.ts'

const URL_OF_WEBHOOK = rule(text({ max: 2_000 }), isWebhookUrl, 'be a URL such as https://example.com/alerts')
const SIGNING_SECRET = rule(text({ max: 100 }), isSigningSecret, 'be whsec_ and 24 to 64 random bytes in base64')
const GIVEN = {
  url: optional(URL_OF_WEBHOOK),
  secret: optional(SIGNING_SECRET),
  email: optional(EMAIL),
  reason: REASON,
}
const NAMED = { target: text({ max: 400 }) }

type Given = { url?: string; secret?: string; email?: string }
type Kind = 'webhook' | 'email'

const FIELDS: Readonly<Record<Kind, readonly string[]>> = { webhook: ['url', 'secret'], email: ['email'] }
const SETTINGS = { webhook: 'alerts.webhooks', email: 'alerts.email' } as const

export const listAlertTargets = operation({
  name: 'alert targets',
  permission: 'see',
  route: { at: 'GET alerts/targets', summary: 'Lists where alerts are sent', output: ALERT_TARGET, list: true },
  input: NOTHING,
  run: async (context) => ({ items: shownTargets(await readState(context)), next: null }),
})

export const addAlertTarget = operation({
  name: 'alert target add',
  permission: 'configuration',
  route: {
    at: 'POST alerts/targets',
    summary: 'Adds a webhook or an email address; a signing secret that is made for a webhook is shown once',
    output: NEW_ALERT_TARGET,
    status: 201,
    example: { body: { url: 'https://example.com/alerts' } },
  },
  input: fields(GIVEN),
  async run(context, { reason, ...given }) {
    const kind = kindOf(given)
    const made = kind === 'webhook' && given.secret === undefined ? newSigningSecret() : undefined
    const target = kind === 'email' ? given.email : { url: given.url, secret: given.secret ?? made }
    const id = nameOf(target) ?? ''
    const action = { name: 'alert target add', object: `alert-target/${id}`, reason }
    const state = await changeConfiguration(context, action, async (state) => {
      const { written, names } = await storedTargets(context, state, kind)
      checkNew(state, kind, id, names, given)
      return { changes: [changeOf(kind, [...written, target])] }
    })
    return { ...shownTarget(state, id), secret: made ?? null }
  },
})

/** What is left out stays: a webhook keeps its URL or its secret. */
export const replaceAlertTarget = operation({
  name: 'alert target replace',
  permission: 'configuration',
  route: {
    at: 'POST alerts/targets/{target}/replace',
    summary: 'Changes a stored webhook or email address; what is left out stays',
    output: ALERT_TARGET,
    example: { body: { url: 'https://example.com/other-alerts' } },
  },
  input: fields({ ...NAMED, ...GIVEN }),
  async run(context, { target, reason, ...given }) {
    let id = target
    const action = { name: 'alert target replace', object: `alert-target/${target}`, reason }
    const state = await changeConfiguration(context, action, async (state) => {
      const { kind, written, names, index } = await findStored(context, state, target)
      const other = (['url', 'secret', 'email'] as const).find((name) => name in given && !FIELDS[kind].includes(name))
      if (other) throw rejected('unknown_field', { field: other, known: FIELDS[kind].join(', ') })
      const former = written[index]
      const after = kind === 'email' ? (given.email ?? former) : { ...(isObject(former) ? former : {}), ...given }
      id = nameOf(kind === 'email' ? given.email : given) ?? target
      if (id !== target) checkNew(state, kind, id, names, given)
      return { changes: [changeOf(kind, written.with(index, after))] }
    })
    return shownTarget(state, id)
  },
})

export const removeAlertTarget = operation({
  name: 'alert target remove',
  permission: 'configuration',
  route: {
    at: 'DELETE alerts/targets/{target}',
    summary: 'Removes a stored webhook or email address; a revision can bring it back',
    output: ALERT_TARGET,
  },
  input: fields({ ...NAMED, reason: REASON }),
  async run(context, { target, reason }) {
    let removed = shownTarget(await readState(context), target)
    const action = { name: 'alert target remove', object: `alert-target/${target}`, reason }
    await changeConfiguration(context, action, async (state) => {
      const { kind, written, index } = await findStored(context, state, target)
      removed = shownTarget(state, target)
      return { changes: [changeOf(kind, written.toSpliced(index, 1))] }
    })
    return removed
  },
})

function kindOf({ url, secret, email }: Given): Kind {
  if (url !== undefined && email !== undefined) throw rejected('exclusive', { field: 'email', other: 'url' })
  if (url === undefined && secret !== undefined) throw rejected('missing_field', { field: 'secret', other: 'url' })
  if (url === undefined && email === undefined) throw rejected('email_or_name', { field: 'url', other: 'email' })
  return url === undefined ? 'email' : 'webhook'
}

function shownTargets({ loaded }: State) {
  const { webhooks, email } = loaded.config.alerts
  const shown = (kind: Kind) => (id: string) => {
    const origin = loaded.origins.get(`settings/${SETTINGS[kind]}`)
    const isStored = origin?.from === 'stored'
    return { id, kind, read_only: !isStored, place: origin && !isStored ? placeOf(origin) : null }
  }
  return [
    ...webhooks.map(({ url }) => webhookName(url)).map(shown('webhook')),
    ...email.map(emailName).map(shown('email')),
  ]
}

const shownTarget = (state: State, id: string) =>
  shownTargets(state).find((each) => each.id === id) ?? { id, kind: null, read_only: false, place: null }

/** As they are stored, where secrets are only named, with the name of each. */
async function storedTargets(context: OperationContext, { stored }: State, kind: Kind) {
  const plain = unsealEntries(stored, await context.accountCipher())
  const [written, values] = [stored.entries, plain].map((entries): readonly unknown[] => {
    const value = findEntry(entries, 'setting', SETTINGS[kind])?.value
    return Array.isArray(value) ? value : []
  }) as [readonly unknown[], readonly unknown[]]
  return { kind, written, names: values.map(nameOf) }
}

function nameOf(value: unknown): string | undefined {
  if (typeof value === 'string') return emailName(value)
  const { url } = isObject(value) ? value : {}
  return typeof url === 'string' && URL.canParse(url) ? webhookName(url) : undefined
}

async function findStored(context: OperationContext, state: State, target: string) {
  const shown = shownTargets(state)
  const known = shown.find(({ id }) => id === target)
  if (known?.read_only) rejectReadOnly(state, SETTINGS[known.kind])
  for (const kind of ['webhook', 'email'] as const) {
    const found = await storedTargets(context, state, kind)
    const index = found.names.indexOf(target)
    if (index !== -1) return { ...found, index }
  }
  throw rejected('unknown_target', { field: 'target', target, known: shown.map(({ id }) => id).join(', ') })
}

function checkNew(
  state: State,
  kind: Kind,
  id: string,
  names: readonly (string | undefined)[],
  { email }: Given,
): void {
  rejectReadOnly(state, SETTINGS[kind])
  if (email !== undefined && !state.loaded.config.mail) throw rejected('no_mail', {})
  if (names.includes(id))
    throw rejected('entry_exists', { field: kind === 'email' ? 'email' : 'url', entry: `target '${id}'` })
}

/** Without any, the setting is removed. */
const changeOf = (kind: Kind, targets: readonly unknown[]): Wanted => ({
  kind: 'setting',
  id: SETTINGS[kind],
  after: targets.length === 0 ? undefined : targets,
})
