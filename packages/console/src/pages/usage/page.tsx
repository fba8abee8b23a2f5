import { type FormEvent, useState } from 'react'
import { useRead } from '../../api/queries.ts'
import { useTexts } from '../../i18n/language.tsx'
import { useKeyChoices, useModelChoices } from '../../ui/form/choices-of.ts'
import { Combobox } from '../../ui/form/combobox.tsx'
import { TextField } from '../../ui/form/field.tsx'
import { PageHeader } from '../../ui/page.tsx'
import { useUrlState } from '../../ui/url-state.ts'
import { SpendSection } from './chart.tsx'
import { FILTERS } from './filters.ts'
import { ChosenDays, PeriodPresets, usePeriod } from './period-choice.tsx'
import { ReceiptDrawer } from './receipt.tsx'
import { RequestsSection } from './requests.tsx'
import { SessionTotals } from './session.tsx'
import { SetField } from './set-field.tsx'

export default function UsagePage() {
  const t = useTexts().usage
  const [filters, setFilters] = useUrlState(FILTERS)
  const { model, key, request } = filters
  const period = usePeriod()
  const { data: chosenKey } = useRead('keys/{id}', { id: key }, { enabled: key !== '', staleTime: 60_000 })
  return (
    <>
      <PageHeader title={t.title} text={t.text} help="use/console#usage" actions={<PeriodPresets period={period} />} />
      <div className="mb-4 grid grid-cols-2 gap-3 full:grid-cols-4">
        <Combobox
          label={t.filters.model}
          value={model}
          shown={model === '' ? t.filters.all : model}
          onChange={(value) => setFilters({ model: value, before: '' })}
          useChoices={useModelChoices}
          all={t.filters.all}
        />
        <Combobox
          label={t.filters.key}
          value={key}
          shown={key === '' ? t.filters.all : (chosenKey?.name ?? key)}
          onChange={(value) => setFilters({ key: value, before: '' })}
          useChoices={useKeyChoices}
          all={t.filters.all}
        />
        <RequestField onChange={(id) => setFilters({ request: id }, { replace: false })} />
        <ChosenDays />
        <SetField label={t.filters.tag} hint={t.filters.tagHint} name="tag" clears={{ end_user: '' }} />
        <SetField label={t.filters.endUser} name="end_user" clears={{ tag: '' }} />
        <SetField label={t.filters.session} name="session" />
      </div>
      {filters.session === '' ? <SpendSection period={period} /> : <SessionTotals session={filters.session} />}
      <RequestsSection period={period} />
      <ReceiptDrawer id={request} onClose={() => setFilters({ request: '' })} />
    </>
  )
}

/** Opens the receipt of a request that a log or an error names. */
function RequestField({ onChange }: { onChange(id: string): void }) {
  const t = useTexts().usage.filters
  const [typed, setTyped] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (typed.trim() !== '') onChange(typed.trim())
  }
  return (
    <form onSubmit={submit}>
      <TextField
        label={t.request}
        placeholder={t.requestHint}
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={setTyped}
      />
    </form>
  )
}
