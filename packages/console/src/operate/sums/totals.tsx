// The figures of a period, each with how it differs from the period before, which is as long.

import type { ReactNode } from 'react'
import { formatCount, roundUsd } from '../../i18n/figures.ts'
import { useLanguage } from '../../i18n/language.tsx'
import { Stat } from '../../ui/page.tsx'
import { Amount, Count, formatUsd, useNumber } from '../../ui/values.tsx'
import { useOperateTexts } from '../i18n/use-texts.tsx'
import type { Figures } from './sums.ts'

type Value = number | string | undefined

export type Figure = {
  label: string
  /** An amount is text. */
  of(figures: Figures): Value
  /** In place of the plain value. */
  show?(figures: Figures): ReactNode
  /** In place of the difference from the period before. */
  note?(figures: Figures): ReactNode
}

type TotalsProps = { figures: readonly Figure[]; now: Figures | undefined; before: Figures | undefined }

export function Totals({ figures, now, before }: TotalsProps) {
  const plain = (value: Value) =>
    typeof value === 'number' ? <Count value={value} /> : <Amount rounded usd={value ?? '0.00'} />
  return (
    <div className="mb-4 grid gap-4 wide:grid-cols-[repeat(auto-fit,minmax(170px,1fr))]">
      {figures.map(({ label, of, show, note }) => (
        <Stat
          key={label}
          label={label}
          note={now && note ? note(now) : <Difference now={now && of(now)} before={before && of(before)} />}
        >
          {now && (show?.(now) ?? plain(of(now)))}
        </Stat>
      ))}
    </div>
  )
}

/** A line of the same height while it is not known. */
function Difference({ now, before }: { now: Value; before: Value }) {
  const t = useOperateTexts().sums
  const { locale } = useLanguage()
  const number = useNumber()
  if (now === undefined || before === undefined) return <>&nbsp;</>
  const shown = typeof before === 'number' ? formatCount(before, locale) : `${formatUsd(roundUsd(before), locale)} USD`
  if (Number(before) === 0) return <>{t.before(shown)}</>
  const change = (Number(now) - Number(before)) / Math.abs(Number(before))
  const percent = number(change, { style: 'percent', maximumFractionDigits: 1, signDisplay: 'exceptZero' })
  return <>{t.against(percent, shown)}</>
}
