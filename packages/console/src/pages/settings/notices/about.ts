import type { Texts } from '../../../i18n/texts.ts'

/** As both APIs list it. */
export type NoticeRow = {
  id: string
  kind: string
  at: string
  facts: Record<string, unknown>
  withheld: string | null
  deliveries: readonly { to: string | null; state: string; tries: number; at: string; error: string | null }[]
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const nameOf = (key: unknown): string => textOf(Reflect.get(Object(key), 'name'))

/** In a sentence; a notice of a later version has no words here. */
export function aboutNotice({ kind, facts }: Pick<NoticeRow, 'kind' | 'facts'>, t: Texts['notices']['about']): string {
  const { percent, key, member, month, reason } = facts
  if (kind === 'budget' && typeof percent === 'number') return budgetText(facts, percent, t)
  if (kind === 'balance') {
    const left = textOf(facts.balance_usd)
    if (typeof percent === 'number') return t.balanceUsed(percent, textOf(facts.of_usd), left)
    return t.below(left, textOf(facts.below_usd))
  }
  if (kind === 'key') return t.reasons[textOf(reason)]?.(key === null ? textOf(member) : nameOf(key)) ?? t.other
  return kind === 'statement' ? t.statement(textOf(month)) : t.other
}

function budgetText(facts: Record<string, unknown>, percent: number, t: Texts['notices']['about']): string {
  const { of, key, member, model, value, period, every_hours: hours, budget_id: id } = facts
  const name = [nameOf(key), textOf(member), textOf(value)].find((text) => text !== '') ?? ''
  const whose = t.whose[textOf(of)]?.(of === 'key_model' ? textOf(model) : name) ?? name
  const amount = {
    amount: textOf(facts.amount_usd),
    period: typeof period === 'string' ? period : null,
    hours: typeof hours === 'number' ? hours : null,
  }
  return t.used(id === null ? t.cap(whose) : t.budget(whose), percent, t.of(amount))
}
