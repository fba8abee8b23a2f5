// The rules of the alerts with their thresholds, and mutes.
import { RULES } from '../../alerts/rules.ts'
import {
  ALERT_DEFAULTS,
  ALERT_RULES,
  type AlertRule,
  type AlertsConfig,
  RULES_WITHOUT_THRESHOLD,
} from '../../config/sections/alerts.ts'
import { formatUsd } from '../../money/amount.ts'
import { fields, idOf, NOTHING, optional, word } from '../../request/schema/schema.ts'
import { type Alert, type AlertMute, ANY_OBJECT } from '../../storage/storage.ts'
import { formatDuration } from '../../yaml/units.ts'
import { isoTime, readFuture } from '../inputs/fields.ts'
import { EXPIRY } from '../inputs/schemas.ts'
import { type Actor, actorText, audited, type OperationContext, operation, seesCosts } from '../operation.ts'
import { rejected } from '../rejections.ts'
import { ALERT_MUTE, ALERT_RULE } from '../resources/gateway.ts'

export const listAlertRules = operation({
  name: 'alert rules',
  permission: 'see',
  route: {
    at: 'GET alerts/rules',
    summary: 'Lists the rules of the alerts',
    output: ALERT_RULE,
    list: true,
    isShared: true,
  },
  input: NOTHING,
  async run({ storage: { alerts }, config, actor }) {
    const [mutes, all] = [await alerts.mutes(Date.now()), await alerts.unresolved()]
    const open = all.filter(alertsFor(actor))
    const items = ALERT_RULES.map((rule) => ({
      id: rule,
      title: RULES[rule].title,
      advice: RULES[rule].advice,
      threshold: thresholdText(rule, config.alerts),
      default_threshold: thresholdText(rule, ALERT_DEFAULTS),
      off: config.alerts.off.includes(rule),
      muted_until: mutedUntil(
        mutes.filter(({ object }) => object === ANY_OBJECT),
        { rule, object: ANY_OBJECT },
      ),
      open: open.filter((alert) => alert.rule === rule && alert.firedAt !== undefined).length,
    }))
    return { items, next: null }
  },
})

/** Those that say what upstreams cost are not for everyone who sees alerts. */
export const alertsFor =
  (actor: Actor) =>
  ({ rule }: Pick<Alert, 'rule'>): boolean =>
    rule !== 'margin_negative' || seesCosts(actor)

const PERCENT: readonly string[] = ['error_rate', 'disk_full', 'contents_full']

const hasThreshold = (rule: AlertRule): rule is Exclude<AlertRule, (typeof RULES_WITHOUT_THRESHOLD)[number]> =>
  !(RULES_WITHOUT_THRESHOLD as readonly AlertRule[]).includes(rule)

/** As the section `alerts` takes it; null: the rule has none. */
function thresholdText(rule: AlertRule, { thresholds, loss }: AlertsConfig): string | null {
  if (!hasThreshold(rule)) return null
  if (rule === 'margin_negative') return formatUsd(loss)
  return PERCENT.includes(rule) ? `${thresholds[rule]}%` : formatDuration(thresholds[rule])
}

/** The end of the longest mute that applies. */
export function mutedUntil(mutes: readonly AlertMute[], { rule, object }: Pick<Alert, 'rule' | 'object'>) {
  const own = mutes.filter((mute) => mute.rule === rule && (mute.object === ANY_OBJECT || mute.object === object))
  return own.length === 0 ? null : isoTime(Math.max(...own.map(({ until }) => until)))
}

const ABOUT = { rule: optional(word(...ALERT_RULES)), alert: optional(idOf('an alert')) }
type About = { rule?: string; alert?: string }

/** A later one replaces it. An alert that fires meanwhile is listed, and sent at the end if its condition is still true. */
export const muteAlerts = operation({
  name: 'alert mute',
  permission: 'configuration',
  route: {
    at: 'POST alerts/mute',
    summary: 'Mutes a rule or one alert until a time: it is listed but not sent',
    output: ALERT_MUTE,
    example: { body: { rule: 'price_list_old', until: '2099-01-31T12:00:00Z' } },
  },
  input: fields({ ...ABOUT, until: EXPIRY }),
  async run(context, { until, ...about }) {
    const [{ rule, object }, end] = [await muteable(context, about), readFuture('until', until)]
    const { actor } = context
    const now = Date.now()
    const before = shownMute((await context.storage.alerts.mutes(now)).find((each) => isSame(each, { rule, object })))
    const mute = { rule, object, until: end, actor: actorText(actor) }
    const after = shownMute(mute)
    const change = { object: objectOf(mute), after, ...(before ? { before } : {}) }
    await audited(context, 'alert mute', change).alerts.setMute(mute, now)
    return after
  },
})

export const unmuteAlerts = operation({
  name: 'alert unmute',
  permission: 'configuration',
  route: {
    at: 'POST alerts/unmute',
    summary: 'Ends the mute of a rule or of one alert',
    output: ALERT_MUTE,
    example: { body: { rule: 'price_list_old' } },
  },
  input: fields(ABOUT),
  async run(context, about) {
    const named = await muteable(context, about)
    const found = (await context.storage.alerts.mutes(Date.now())).find((each) => isSame(each, named))
    if (!found) throw rejected('not_muted', { alert: about.alert ? `alert ${about.alert}` : `rule ${named.rule}` })
    const change = { object: objectOf(named), before: shownMute(found) }
    await audited(context, 'alert unmute', change).alerts.removeMute(named.rule, named.object)
    return { ...shownMute(found), until: null }
  },
})

type Named = Pick<AlertMute, 'rule' | 'object'>

const isSame = (one: Named, other: Named): boolean => one.rule === other.rule && one.object === other.object
const objectOf = ({ rule, object }: Named): string =>
  object === ANY_OBJECT || object === '' ? `alert-rule/${rule}` : `alert-rule/${rule}/${object}`

const shownMute = <M extends AlertMute | undefined>(mute: M) =>
  (mute && {
    rule: mute.rule,
    about: mute.object === ANY_OBJECT ? null : mute.object,
    until: isoTime(mute.until),
    by: mute.actor,
  }) as M extends undefined ? undefined : { rule: string; about: string | null; until: string; by: string }

/** What an alert is about stays muted if it resolves and fires again. */
async function muteable({ storage }: OperationContext, { rule, alert }: About): Promise<Named> {
  if ((rule === undefined) === (alert === undefined)) throw rejected('email_or_name', { field: 'rule', other: 'alert' })
  if (rule !== undefined) return { rule, object: ANY_OBJECT }
  const found = (await storage.alerts.unresolved()).find(({ id }) => String(id) === alert)
  if (!found) throw rejected('unknown_alert', { alert: alert ?? '' })
  return { rule: found.rule, object: found.object }
}
