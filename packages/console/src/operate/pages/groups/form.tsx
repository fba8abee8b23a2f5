// The drawer in which a group is looked at, created or edited. Finance edits multiplier and prices alone.

import type { ReactNode } from 'react'
import { ModelChoice } from '../../../pages/keys/model-choice.tsx'
import { Button, IconButton } from '../../../ui/button.tsx'
import { type Entry, ownField } from '../../../ui/form/fields.ts'
import { isEmpty } from '../../../ui/form/patches.ts'
import { textIn } from '../../../ui/form/typed-values.ts'
import { Menu } from '../../../ui/overlay.tsx'
import { Part } from '../../../ui/page.tsx'
import { Banner } from '../../../ui/states.tsx'
import { useAdmin } from '../../api/queries.ts'
import type { Row } from '../../api/routes.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { useWords } from '../../i18n/use-words.ts'
import { useAct } from '../../ui/act.tsx'
import { ActButton } from '../../ui/act-button.tsx'
import { ActForm } from '../../ui/act-form.tsx'
import { useMay } from '../../ui/permissions.ts'
import { History } from '../models/history.tsx'
import { typeOf } from '../models/inline-price.tsx'
import { PriceImpact } from '../models/prices/impact.tsx'
import { PriceFields } from '../models/prices/price-fields.tsx'
import { type Figures, figuresOf, mainFigures, withFigures } from '../models/prices/price-values.ts'
import { LockBanner } from '../models/source.tsx'

export type GroupRow = Row<'groups'>
/** By model. */
type Prices = Readonly<Record<string, Figures>>
type Name = 'multiplier' | 'prices' | 'models' | 'console' | 'accounts'

const ALL = { limit: '1000' }
/** A change of these is one of what accounts pay. */
const PAID = ['multiplier', 'prices', 'models']

const within = (isOpen: boolean, className: string) => (shown: ReactNode) => (
  <fieldset disabled={!isOpen} className={className}>
    {shown}
  </fieldset>
)

export function GroupDrawer({ subject, onClose }: { subject: GroupRow | undefined; onClose(): void }) {
  const t = useOperateTexts().groups
  const words = useWords()
  const may = useMay()
  const models = useAdmin('models', ALL).data?.data ?? []
  const isLocked = subject?.read_only === true
  const mayAll = may('configuration') && !isLocked
  const mayPrice = may('money') && !isLocked
  const written = Object.entries((subject?.prices ?? {}) as Record<string, unknown>)
  const listed = (subject?.models ?? ['*']) as string[]

  const prices = ownField<Prices, 'prices'>('prices', {
    first: Object.fromEntries(written.map(([model, price]) => [model, figuresOf(price)])),
    write(own) {
      const before = new Map(written)
      const after = Object.entries(own).map(([model, figures]) => [model, withFigures(before.get(model), figures)])
      return after.length === 0 ? undefined : Object.fromEntries(after)
    },
    shows: () => false,
    show: ({ value, onChange, values }) => (
      <OwnPrices models={models} prices={value} chosen={values.models as string[] | null} onChange={onChange} />
    ),
  })
  const chosen = ownField<readonly string[] | null, 'models'>('models', {
    first: listed.includes('*') ? null : listed,
    write: (names) => names ?? ['*'],
    show: ({ value, onChange, errors }) => (
      <ModelChoice
        models={models.map(({ id }) => id)}
        chosen={value}
        onChange={onChange}
        all={t.form.allModels}
        error={errors.models}
      />
    ),
  })
  /** `head`: of a new one. */
  const fieldsWith = <N extends string>(head: readonly Entry<N>[]): readonly Entry<N | Name>[] => [
    subject && <LockBanner key="lock" entry={subject} />,
    ...(subject?.invalid ?? []).map((mistake) => (
      <Banner key={mistake} tone="bad">
        {mistake}
      </Banner>
    )),
    mayPrice && !mayAll && <Banner key="prices">{t.form.pricesOnly}</Banner>,
    {
      frame: within(mayPrice, 'flex min-w-0 flex-col gap-6'),
      fields: [
        {
          frame: (shown) => <div className="flex flex-col gap-3">{shown}</div>,
          fields: [
            ...head,
            {
              name: 'multiplier',
              label: t.form.multiplier,
              hint: t.form.multiplierHint,
              as: 'amount',
              usual: '1',
              write: (text) => (text === '1' && (subject?.multiplier ?? null) === null ? undefined : text),
            },
          ],
        },
        prices,
      ],
    },
    {
      frame: within(mayAll, 'flex min-w-0 flex-col gap-4'),
      fields: [
        chosen,
        { name: 'console', label: t.form.console, as: 'switch' },
        {
          name: 'accounts',
          label: t.form.accounts,
          hint: t.form.accountsHint,
          as: 'words',
          rows: 2,
          optional: true,
        },
      ],
    },
  ]
  const shared = {
    isLong: true,
    className: 'flex flex-col gap-6',
    onClose,
    action: t.acts.review,
    button: (submit: object) => <ActButton permission="money" {...submit} disabled={isLocked} />,
  }
  if (!subject)
    return (
      <ActForm
        {...shared}
        method="POST"
        path="groups"
        title={t.form.createTitle}
        fields={fieldsWith([{ name: 'id', label: t.form.id, optional: false }])}
        question={(_, values) => words('group create', textIn(values, 'id').trim())}
      />
    )
  const { id } = subject
  return (
    <ActForm
      {...shared}
      method="PATCH"
      path="groups/{group}"
      params={{ group: id }}
      of={subject}
      title={t.form.editTitle(id)}
      fields={fieldsWith([])}
      aside={<Remove group={subject} onDone={onClose} />}
      question={(patch) => {
        const paid = Object.fromEntries(Object.entries(patch).filter(([name]) => PAID.includes(name)))
        const isShown = !isEmpty(paid) && may('money')
        return {
          ...words('group change', id),
          ...(isShown ? { text: <PriceImpact noun="group" id={id} patch={paid} /> } : {}),
        }
      }}
      undo={{ title: t.acts.undo(id), action: t.acts.restore, done: t.acts.restored(id) }}
    >
      <div className="mt-6">
        <Part title={t.form.history}>
          <History of={`group/${id}`} revision={subject.source.revision} />
        </Part>
      </div>
    </ActForm>
  )
}

function Remove({ group: { id, read_only: isLocked, shadowed }, onDone }: { group: GroupRow; onDone(): void }) {
  const act = useAct()
  const question = useWords()('group delete', id)
  const remove = async () => {
    const path = { method: 'DELETE', path: 'groups/{group}', params: { group: id } } as const
    if ((await act({ ...path, ...question, danger: true, hideChanges: true })) !== undefined) onDone()
  }
  return (
    <ActButton
      permission="configuration"
      icon="trash"
      disabled={isLocked && shadowed === null}
      onClick={() => void remove()}
    >
      {question.action}
    </ActButton>
  )
}

type OwnPricesProps = {
  models: readonly Parameters<typeof typeOf>[0][]
  prices: Prices
  /** null: all. */
  chosen: readonly string[] | null
  onChange(prices: Prices): void
}

/** Prices that the group sets itself, model by model. */
function OwnPrices({ models, prices, chosen, onChange }: OwnPricesProps) {
  const t = useOperateTexts().groups.form
  const typesById = new Map(models.map((model) => [model.id, typeOf(model)]))
  const addable = (chosen ?? models.map(({ id }) => id)).filter((id) => !(id in prices))
  const add = (model: string) => {
    const figures = Object.fromEntries(mainFigures(typesById.get(model) ?? 'text', {}).map((path) => [path, '']))
    onChange({ ...prices, [model]: figures })
  }
  return (
    <Part title={t.own} text={t.ownText}>
      {Object.entries(prices).map(([model, figures]) => (
        <div key={model} className="flex flex-col gap-2 rounded-md border p-3">
          <div className="flex items-center justify-between gap-2">
            <span className="min-w-0 font-mono text-sm wrap-anywhere">{model}</span>
            <IconButton
              icon="trash"
              label={t.removeOwn(model)}
              onClick={() => onChange(Object.fromEntries(Object.entries(prices).filter(([id]) => id !== model)))}
            />
          </div>
          <PriceFields
            type={typesById.get(model) ?? 'text'}
            figures={figures}
            onChange={(changed) => onChange({ ...prices, [model]: changed })}
            of={model}
          />
        </div>
      ))}
      {addable.length > 0 && (
        <div>
          <Menu
            align="start"
            trigger={
              <Button small icon="plus">
                {t.addOwn}
              </Button>
            }
            items={addable.slice(0, MOST_LISTED).map((id) => ({ label: id, onSelect: () => add(id) }))}
          />
        </div>
      )}
    </Part>
  )
}

/** A menu of more could not be used. */
const MOST_LISTED = 100
