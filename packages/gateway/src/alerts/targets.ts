// Where alerts are sent: signed webhooks and email. One attempt each; the outbox repeats what failed.

import { signedBy } from '../access/secrets/callback-secret.ts'
import type { AlertsConfig } from '../config/sections/alerts.ts'
import type { FileConfig } from '../config/types.ts'
import { createMailer, describeMailError, type Letter } from '../mail/mailer.ts'
import type { Log } from '../observe/log.ts'
import type { Alerts } from '../storage/storage.ts'
import type { postPublic } from '../upstreams/public/post-public.ts'

/** `id`: the same for every attempt, so that a receiver can tell a repetition. `body`: an AlertMessage as JSON. */
export type Outgoing = { id: string; body: string }

export type AlertMessage = {
  type: 'alert.fired' | 'alert.resolved' | 'alert.test'
  timestamp: string
  data: {
    id: string
    rule: string
    object: string
    title: string
    value: string
    advice: string
    since: string
    resolved_at: string | null
    gateway: string
  }
}

export type Target = {
  /** As stored and shown: never a secret, which may also be a part of the URL of a webhook. */
  name: string
  /** Rejects if it was not delivered. */
  send(message: Outgoing): Promise<void>
}

export type AlertDependencies = {
  store: Alerts
  config(): FileConfig
  targets(): readonly Target[]
  /** How messages name this gateway. */
  gateway(): string
  clock(): number
  log: Log
}

type Sending = { postPublic: typeof postPublic; clock(): number }

const WITHIN_MS = 10_000
const QUIET = { error() {}, warn() {} }

export function targetsOf(config: Pick<FileConfig, 'alerts' | 'mail'>, deps: Sending): Target[] {
  const { alerts } = config
  const mailer = createMailer(() => config, QUIET, [])
  return [
    ...alerts.webhooks.map((webhook) => ({
      name: webhookName(webhook.url),
      send: (message: Outgoing) => post(webhook, message, alerts.allowPrivate, deps),
    })),
    ...alerts.email.map((to) => ({
      name: emailName(to),
      send: ({ body }: Outgoing) =>
        mailer.send({ to, ...letterOf(JSON.parse(body) as AlertMessage) }).catch((error) => {
          throw new Error(describeMailError(error).error)
        }),
    })),
  ]
}

/** Tells two webhooks of one host apart. */
export function webhookName(url: string): string {
  const mark = new Bun.CryptoHasher('sha256').update(url).digest('hex').slice(0, 8)
  return `webhook ${new URL(url).host} ${mark}`
}

export const emailName = (to: string): string => `email ${to}`

async function post(
  { url, secret }: AlertsConfig['webhooks'][number],
  { id, body }: Outgoing,
  allowPrivate: boolean,
  deps: Sending,
): Promise<void> {
  const status = await deps.postPublic(url, {
    body,
    contentType: 'application/json',
    timeoutMs: WITHIN_MS,
    headers: signedBy({ id, timestamp: Math.floor(deps.clock() / 1_000), body }, secret),
    allowPrivate,
  })
  if (status < 200 || status >= 300) throw new Error(`status ${status}`)
}

const WORDS = { 'alert.fired': 'Alert', 'alert.resolved': 'Resolved', 'alert.test': 'Test' } as const

function letterOf({ type, data }: AlertMessage): Letter {
  const { title, object, value, advice, since, resolved_at, gateway } = data
  const about = object === '' ? title : `${title}: ${object}`
  const lines = [
    `${about}`,
    '',
    `${value}`,
    `Since ${since}${resolved_at === null ? '' : `, resolved at ${resolved_at}`}.`,
    ...(type === 'alert.resolved' ? [] : ['', advice]),
    '',
    `Sent by ${gateway}.`,
  ]
  return { subject: `${WORDS[type]}: ${about}`, text: `${lines.join('\n')}\n` }
}
