// What alerts are sent of: a fixed list. Each rule judges facts, which nodes or the cluster job have measured.
import type { AlertRule, AlertsConfig } from '../config/sections/alerts.ts'
import { formatUsd } from '../money/amount.ts'
import type { AlertFact } from '../storage/storage.ts'

export type Fact = AlertFact & { rule: AlertRule }

export type Rule = {
  title: string
  /** What to do. */
  advice: string
  /** The facts of all nodes about one object are one fact: their sum. */
  isSum?: true
  /** How long the condition must last; absent: fires at once. */
  lastsMs?(thresholds: AlertsConfig['thresholds']): number
  /** The value in words if the condition is true. */
  judge(fact: Pick<AlertFact, 'amount' | 'total'>, config: AlertsConfig, now: number): string | undefined
}

/** Fewer requests say little about the rate of errors. */
export const LEAST_REQUESTS = 20
const DAY_MS = 86_400_000

export const RULES: Readonly<Record<AlertRule, Rule>> = {
  upstream_down: {
    title: 'An upstream is down',
    advice: "'trivium upstream list' shows why; check its status page, its keys and its bill.",
    lastsMs: ({ upstream_down }) => upstream_down,
    judge: () => 'every key fails or is rejected',
  },
  error_rate: {
    title: 'Many requests fail',
    advice: "'trivium upstream list' and the log show which upstream fails.",
    isSum: true,
    judge({ amount, total }, { thresholds }) {
      if (total < LEAST_REQUESTS || !exceeds(amount, total, thresholds.error_rate)) return undefined
      return `${amount} of ${total} requests of the last 5 minutes failed (${percent(amount, total)})`
    },
  },
  margin_negative: {
    title: 'A model costs more than it earns',
    advice: "Raise its price, or route it to a cheaper upstream; 'trivium prices diff' compares the prices.",
    judge: ({ amount, total }) =>
      `lost ${usd(amount)} USD within 24 hours: charged ${usd(total)}, paid ${usd(total + amount)}`,
  },
  audit_failed: {
    title: 'The ledger audit failed',
    advice: "'trivium audit' lists the errors.",
    judge: ({ amount }) => (amount > 0 ? 'the ledger is not consistent' : undefined),
  },
  commits_lost: {
    title: 'The database lost commits',
    advice:
      'Let the database confirm commits only once a standby has them; compare the balances of the last moments with a backup.',
    judge: ({ amount }, _config, now) =>
      now - amount < DAY_MS
        ? `noticed on ${new Date(amount).toISOString().slice(0, 16).replace('T', ' at ')} UTC`
        : undefined,
  },
  old_holds: {
    title: 'Funds are held for too long',
    advice: "'trivium audit' counts open holds; a node or a video task may hang.",
    judge: ({ amount, total }) =>
      amount > 0 ? `${amount} holds, the oldest for ${Math.floor(total / 60_000)} minutes` : undefined,
  },
  disk_full: {
    title: 'A disk is nearly full',
    advice: 'Free space, or move the data folder to a larger disk. A full disk stops the server.',
    judge: ({ amount, total }, { thresholds }) =>
      exceeds(amount, total, thresholds.disk_full) ? `${percent(amount, total)} used` : undefined,
  },
  contents_full: {
    title: 'Stored content is nearly at its limit',
    advice: 'Raise server.limits.stored or media, or shorten retention: beyond it the oldest content is removed.',
    judge: ({ amount, total }, { thresholds }) =>
      exceeds(amount, total, thresholds.contents_full) ? `${percent(amount, total)} of the limit` : undefined,
  },
  certificate_expiring: {
    title: 'A certificate expires soon',
    advice: 'Renew it; the server loads a new one from disk automatically.',
    judge({ amount }, { thresholds }, now) {
      const days = Math.floor((amount - now) / DAY_MS)
      if (amount - now > thresholds.certificate_expiring) return undefined
      return amount <= now ? `expired on ${dateOf(amount)}` : `expires on ${dateOf(amount)}, in ${days} days`
    },
  },
  price_list_old: {
    title: 'The built-in price list is old',
    advice: 'Update Trivium, or write the prices of your models into the configuration file.',
    judge: ({ amount }, { thresholds }, now) =>
      now - amount > thresholds.price_list_old ? `of ${dateOf(amount)}` : undefined,
  },
}

const exceeds = (amount: number, total: number, most: number): boolean => total > 0 && amount * 100 >= total * most
const percent = (amount: number, total: number): string => `${Math.floor((100 * amount) / total)} %`
const usd = (nanos: number): string => formatUsd(BigInt(Math.round(nanos)))
const dateOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

export type Finding = { rule: AlertRule; object: string; value: string }

export const nameOf = ({ rule, object }: { rule: string; object: string }): string => `${rule} ${object}`

/** The conditions that are true, by name. Rules that this version does not have, and those that are off, are left out. */
export function judge(facts: readonly AlertFact[], config: AlertsConfig, now: number): Map<string, Finding> {
  const found = new Map<string, Finding>()
  for (const fact of summed(facts)) {
    const { rule, object } = fact
    if (config.off.includes(rule)) continue
    const value = RULES[rule].judge(fact, config, now)
    if (value !== undefined) found.set(nameOf(fact), { rule, object, value })
  }
  return found
}

function summed(facts: readonly AlertFact[]): Fact[] {
  const sums = new Map<string, Fact>()
  const others: Fact[] = []
  for (const fact of facts.filter(isKnown)) {
    if (!RULES[fact.rule].isSum) others.push(fact)
    else {
      const sum = sums.get(nameOf(fact)) ?? { ...fact, amount: 0, total: 0 }
      sums.set(nameOf(fact), { ...sum, amount: sum.amount + fact.amount, total: sum.total + fact.total })
    }
  }
  return [...sums.values(), ...others]
}

const isKnown = (fact: AlertFact): fact is Fact => Object.hasOwn(RULES, fact.rule)
