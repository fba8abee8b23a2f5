// Budgets as both places of the console show them: their names, the columns of a list, and all facts of one.

import type { BudgetRow } from '../../api/types.ts'
import { useLanguage, useTexts } from '../../i18n/language.tsx'
import { Facts } from '../../ui/page.tsx'
import { Badge } from '../../ui/states.tsx'
import type { Column } from '../../ui/table.tsx'
import { Amount, Bar, formatUsd, Time } from '../../ui/values.tsx'

type Named = Pick<BudgetRow, 'kind' | 'key' | 'key_id' | 'email' | 'person_id' | 'model' | 'value'>

/** What a budget is for, such as "Tag team=search". */
export function useBudgetName(): (budget: Named) => string {
  const { names, kinds } = useTexts().budgets
  return ({ kind, key, key_id, email, person_id, model, value }) => {
    const ofKey = key || `${key_id}`
    switch (kind) {
      case 'account':
        return kinds.account
      case 'member':
        return email ?? `${kinds.member} ${person_id}`
      case 'key':
        return names.key(ofKey)
      case 'key_model':
        return names.key_model(model ?? '', ofKey)
      case 'all':
        return names.all
      default:
        return names[kind](value ?? '')
    }
  }
}

export function usePeriodText(): (budget: Pick<BudgetRow, 'period' | 'every_hours'>) => string {
  const { keys, budgets } = useTexts()
  return ({ period, every_hours }) =>
    period === null
      ? budgets.list.inAll
      : period === 'hours'
        ? budgets.list.hours(every_hours ?? 1)
        : keys.list.per[period]
}

export function useBudgetColumns<Row extends BudgetRow>(): Column<Row>[] {
  const t = useTexts().budgets.list
  const nameOf = useBudgetName()
  return [
    {
      id: 'for',
      line: 1,
      label: t.for,
      shrinks: true,
      least: 18,
      skeleton: 'min-h-10 w-36',
      cell: (budget) => (
        <span className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
          <span title={nameOf(budget)} className="min-w-0 font-medium wrap-anywhere">
            {nameOf(budget)}
          </span>
          {budget.is_cap && <Badge>{t.cap}</Badge>}
          {budget.reached && <Badge tone={budget.hard ? 'bad' : 'warn'}>{t.reached}</Badge>}
          {!budget.hard && <Badge tone="accent">{t.soft}</Badge>}
        </span>
      ),
    },
    { id: 'spent', line: 2, label: t.spent, skeleton: 'w-40', cell: (budget) => <Spent budget={budget} /> },
    { id: 'left', drop: 640, label: t.left, usd: ({ left_usd }) => left_usd },
    {
      id: 'renews',
      drop: 760,
      label: t.renews,
      skeleton: 'w-24',
      cell: ({ begins_anew_at }) =>
        begins_anew_at ? <Time at={begins_anew_at} style="relative" /> : <span className="text-muted">{t.never}</span>,
    },
    { id: 'setBy', drop: 900, label: t.setBy, skeleton: 'w-16', cell: ({ set_by }) => t.setters[set_by] },
  ]
}

function Spent({ budget }: { budget: BudgetRow }) {
  const t = useTexts().budgets.list
  const { locale } = useLanguage()
  const periodText = usePeriodText()
  const { spent_usd: spent, amount_usd: amount, used_percent: percent } = budget
  const [shownSpent, shownAmount] = [formatUsd(spent, locale), formatUsd(amount, locale)]
  return (
    <span className="inline-flex min-w-44 flex-col gap-1 cards:w-full">
      <span className="inline-flex flex-wrap gap-x-1">
        <span className="whitespace-nowrap">{shownSpent}</span>
        <span className="whitespace-nowrap">
          / <Amount usd={amount} />
        </span>
        <span className="whitespace-nowrap text-muted">{periodText(budget)}</span>
        <span className="ml-auto pl-2 whitespace-nowrap tabular-nums">{percent} %</span>
      </span>
      <Bar share={Number(spent) / Number(amount)} label={t.spentOf(shownSpent, shownAmount, percent)} />
    </span>
  )
}

export function BudgetFacts({ budget }: { budget: BudgetRow }) {
  const { budgets } = useTexts()
  const { list, detail } = budgets
  const periodText = usePeriodText()
  const { period, starts_at, alerts, text, begins_anew_at, created_at, hard } = budget
  const items = [
    { label: list.spent, value: <Spent budget={budget} /> },
    { label: list.left, value: <Amount usd={budget.left_usd} /> },
    { label: detail.held, value: <Amount usd={budget.held_usd} /> },
    {
      label: detail.amount,
      value: (
        <>
          <Amount usd={budget.amount_usd} /> {periodText(budget)}
        </>
      ),
    },
    { label: list.renews, value: begins_anew_at ? <Time at={begins_anew_at} style="exact" /> : list.never },
    period === 'hours' && starts_at && { label: budgets.form.starts, value: <Time at={starts_at} style="exact" /> },
    { label: detail.when, value: hard ? detail.hard : detail.soft },
    { label: detail.alerts, value: alerts.length === 0 ? detail.none : alerts.map((each) => `${each} %`).join(', ') },
    text !== '' && { label: detail.text, value: <span className="whitespace-pre-line">{text}</span> },
    { label: list.setBy, value: list.setters[budget.set_by] },
    created_at && { label: detail.created, value: <Time at={created_at} style="exact" /> },
  ]
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls what is longer than a small screen.
    <section aria-label={budgets.title} tabIndex={0}>
      <Facts items={items.filter((item) => item !== false && item !== null && item !== '')} />
    </section>
  )
}
