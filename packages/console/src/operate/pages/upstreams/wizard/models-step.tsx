import { useState } from 'react'
import { useLanguage, useTexts } from '../../../../i18n/language.tsx'
import { labelOf } from '../../../../pages/models/prices.ts'
import { Button } from '../../../../ui/button.tsx'
import { TextField } from '../../../../ui/form/field.tsx'
import { SearchField } from '../../../../ui/search.tsx'
import { Badge, EmptyRow } from '../../../../ui/states.tsx'
import { type Column, Table } from '../../../../ui/table.tsx'
import { formatUsd } from '../../../../ui/values.tsx'
import { useOperateTexts } from '../../../i18n/use-texts.tsx'
import type { Draft, SetDraft } from './draft.ts'
import { chosenIn, type Proposal, priceOf } from './entries.ts'

/** More are found by the search. */
const MOST_SHOWN = 100
const SEARCHED_FROM = 12

type Props = { draft: Draft; set: SetDraft; proposals: readonly Proposal[] | undefined; date: string | undefined }

export function ModelsStep({ draft, set, proposals, date }: Props) {
  const t = useOperateTexts().upstreams.wizard.models
  const [search, setSearch] = useState('')
  const [typed, setTyped] = useState('')
  const [isTried, setTried] = useState(false)
  const columns = useModelColumns(draft, set, proposals ?? [])
  const chosen = chosenIn(draft, proposals ?? [])
  const isFound = ({ model }: Proposal) => model.toLowerCase().includes(search.toLowerCase())
  const found = proposals?.filter(isFound).toSorted((one, other) => Number(!one.price) - Number(!other.price))
  const unpriced = (proposals ?? []).filter(
    (each) => chosen.includes(each.model) && each.present === null && !priceOf(each, draft),
  )
  const next = () => {
    setTried(true)
    if (chosen.length > 0 && unpriced.length === 0) set({ chosen, step: 'group' })
  }
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-end gap-x-4 gap-y-3">
        <div className="w-44">
          <TextField
            label={t.markup}
            inputMode="numeric"
            hint={date === undefined ? undefined : t.listOf(date)}
            value={draft.markup}
            onChange={(markup) => set({ markup: markup.replace(/[^\d]/g, '').slice(0, 4) })}
          />
        </div>
        {draft.found.length > SEARCHED_FROM && (
          <div className="mb-6">
            <SearchField value={search} onChange={setSearch} label={t.search} />
          </div>
        )}
      </div>
      {found && found.length > 1 && (
        <div className="-mb-2 flex gap-2">
          <Button
            small
            onClick={() =>
              set({
                chosen: [
                  ...new Set([
                    ...chosen,
                    ...found.filter((each) => mayChoose(each) && priceOf(each, draft)).map(nameOf),
                  ]),
                ],
              })
            }
          >
            {t.all}
          </Button>
          <Button small onClick={() => set({ chosen: chosen.filter((each) => !found.map(nameOf).includes(each)) })}>
            {t.noModels}
          </Button>
        </div>
      )}
      <div className="rounded-md border">
        <Table
          label={t.label}
          columns={columns}
          rows={found?.slice(0, MOST_SHOWN)}
          rowKey={({ model }) => model}
          expected={Math.min(8, Math.max(1, draft.found.length))}
          empty={<EmptyRow>{draft.found.length === 0 ? t.none : t.noneFound}</EmptyRow>}
        />
      </div>
      {found && found.length > MOST_SHOWN && <p className="text-sm text-muted">{t.more(found.length - MOST_SHOWN)}</p>}
      <form
        className="flex max-w-[480px] items-end gap-2"
        onSubmit={(event) => {
          event.preventDefault()
          const name = typed.trim()
          if (name === '') return
          set({ found: [...new Set([...draft.found, name])], chosen: [...new Set([...chosen, name])] })
          setTyped('')
        }}
      >
        <div className="min-w-0 flex-1">
          <TextField label={t.byName} autoComplete="off" maxLength={300} value={typed} onChange={setTyped} />
        </div>
        <Button type="submit" icon="plus">
          {t.add}
        </Button>
      </form>
      {isTried && (chosen.length === 0 || unpriced.length > 0) && (
        <p role="alert" className="text-sm text-bad">
          {chosen.length === 0 ? t.choose : t.priceMissing(unpriced.map(({ model }) => model).join(', '))}
        </p>
      )}
      <div className="sticky bottom-0 z-10 -mx-1 border-t bg-surface px-1 py-3 max-[720px]:bottom-14">
        <Button variant="primary" onClick={next}>
          {t.next(chosen.length)}
        </Button>
      </div>
    </div>
  )
}

/** Models of the configuration file are not changed here. */
const mayChoose = ({ present }: Pick<Proposal, 'present'>): boolean => present === null || present === 'stored'
const nameOf = ({ model }: Proposal): string => model

function useModelColumns(draft: Draft, set: SetDraft, proposals: readonly Proposal[]): Column<Proposal>[] {
  const t = useOperateTexts().upstreams.wizard.models
  const chosen = chosenIn(draft, proposals)
  const toggle = (model: string, isOn: boolean) =>
    set({ chosen: isOn ? [...chosen, model] : chosen.filter((each) => each !== model) })
  const setPrice = (model: string, change: { input?: string; output?: string }) => {
    const former = draft.prices[model] ?? { input: '', output: '' }
    set({ prices: { ...draft.prices, [model]: { ...former, ...change } } })
  }
  return [
    {
      id: 'model',
      label: t.model,
      skeleton: 'w-40',
      cell: ({ model, present }) => (
        <label className="flex items-center gap-2 pointer-coarse:py-2">
          <input
            type="checkbox"
            checked={chosen.includes(model)}
            disabled={!mayChoose({ present })}
            onChange={(event) => toggle(model, event.target.checked)}
            className="size-4 shrink-0 accent-accent pointer-coarse:size-5"
          />
          <span className="font-mono text-sm wrap-anywhere">{model}</span>
        </label>
      ),
    },
    { id: 'cost', label: t.cost, align: 'right', cell: ({ price }) => (price ? <ShortPrice price={price} /> : null) },
    {
      id: 'price',
      label: t.price,
      align: 'right',
      cell: ({ model, price, proposed_price, present }) =>
        present === 'stored' ? (
          <Badge>{t.secondRoute}</Badge>
        ) : present !== null ? (
          <Badge tone="warn">{t.readOnly}</Badge>
        ) : proposed_price && price ? (
          <ShortPrice price={proposed_price} />
        ) : chosen.includes(model) ? (
          <span className="inline-flex gap-1">
            {(['input', 'output'] as const).map((figure) => (
              <span key={figure} className="w-24">
                <TextField
                  hideLabel
                  label={t.figures[figure](model)}
                  placeholder={t.placeholders[figure]}
                  inputMode="decimal"
                  value={draft.prices[model]?.[figure] ?? ''}
                  onChange={(value) => setPrice(model, { [figure]: value.replace(/[^\d.]/g, '') })}
                />
              </span>
            ))}
          </span>
        ) : (
          <span className="text-sm text-muted">{t.unknown}</span>
        ),
    },
  ]
}

/** The figures by which people compare models; the page of the model has all. */
export function ShortPrice({ price }: { price: Readonly<Record<string, unknown>> }) {
  const { locale, texts } = useLanguage()
  const { units } = useTexts().models
  const usd = (figure: unknown) => formatUsd(String(figure), locale)
  const [first] = Object.entries(price).filter(([, figure]) => typeof figure === 'string')
  const [text, unit] =
    'input' in price && 'output' in price
      ? [texts.models.inAndOut(usd(price.input), usd(price.output)), texts.models.perMillion]
      : [usd(first?.[1] ?? '0'), `USD ${labelOf(units, first?.[0] ?? '')}`]
  return (
    <span className="inline-flex flex-col tabular-nums cards:items-end rows:items-end">
      <span className="whitespace-nowrap">{text}</span>
      <span className="text-xs text-muted">{unit}</span>
    </span>
  )
}
