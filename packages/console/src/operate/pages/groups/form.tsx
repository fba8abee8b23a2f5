// The drawer in which a group is looked at, created or edited. Finance edits multiplier and prices alone.

import { type FormEvent, useId, useState } from 'react'
import { useFormGuard } from '../../../app/leave-guard.tsx'
import { useTexts } from '../../../i18n/language.tsx'
import { ModelChoice } from '../../../pages/keys/model-choice.tsx'
import { Button, IconButton } from '../../../ui/button.tsx'
import { Drawer } from '../../../ui/dialog.tsx'
import { Checkbox, TextArea, TextField } from '../../../ui/form/field.tsx'
import { Menu } from '../../../ui/overlay.tsx'
import { Part } from '../../../ui/page.tsx'
import { Banner } from '../../../ui/states.tsx'
import { type AnyChange, rehearse } from '../../api/client.ts'
import { useAdmin, useVersion } from '../../api/queries.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { useWords } from '../../i18n/use-words.ts'
import { useAct } from '../../ui/act.tsx'
import { ActButton } from '../../ui/act-button.tsx'
import type { Act, AnyAct } from '../../ui/act-types.ts'
import { useOperateError } from '../../ui/errors.ts'
import { useMay } from '../../ui/permissions.ts'
import { History } from '../models/history.tsx'
import { typeOf } from '../models/inline-price.tsx'
import { PriceImpact } from '../models/prices/impact.tsx'
import { isEmpty, patchBetween } from '../models/prices/patches.ts'
import { PriceFields } from '../models/prices/price-fields.tsx'
import { mainFigures } from '../models/prices/price-values.ts'
import { LockBanner } from '../models/source.tsx'
import { entryOf, fieldsOf, type GroupRow, type GroupValues, valuesOf } from './form-values.ts'

const ALL = { limit: '1000' }
/** A change of these is one of what accounts pay. */
const PAID = ['multiplier', 'prices', 'models']

export function GroupDrawer({ subject, onClose }: { subject: GroupRow | undefined; onClose(): void }) {
  const { common } = useTexts()
  const t = useOperateTexts().groups
  const messageOf = useOperateError()
  const act = useAct()
  const words = useWords()
  const may = useMay()
  const models = useAdmin('models', ALL).data?.data ?? []
  const [first] = useState(() => valuesOf(subject))
  const [values, setValues] = useState(first)
  const [error, setError] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const close = useFormGuard(values !== first, onClose)
  const form = useId()
  const set = (change: Partial<GroupValues>) => setValues((former) => ({ ...former, ...change }))
  const isLocked = subject?.read_only === true
  const mayAll = may('configuration') && !isLocked
  const mayPrice = may('money') && !isLocked
  const before = fieldsOf(subject)

  const version = useVersion(subject ? 'groups/{group}' : undefined, { group: subject?.id ?? '' })

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (isBusy) return
    const patch = patchBetween(before, entryOf(values, before))
    if (subject && isEmpty(patch)) return onClose()
    const change: AnyChange = subject
      ? {
          method: 'PATCH',
          path: 'groups/{group}',
          params: { group: subject.id },
          body: patch,
        }
      : { method: 'POST', path: 'groups', body: { id: values.id.trim(), ...patch } }
    setBusy(true)
    const rehearsed = await rehearse(change)
    setBusy(false)
    if (!rehearsed.ok) return setError(messageOf(rehearsed.error))
    setError(undefined)
    const paid = Object.fromEntries(Object.entries(patch).filter(([name]) => PAID.includes(name)))
    const id = subject?.id ?? values.id.trim()
    const asked: AnyAct = {
      ...change,
      version: await version(),
      rehearsed: rehearsed.value,
      ...words(subject ? 'group change' : 'group create', id),
      ...(subject && !isEmpty(paid) && may('money') ? { text: <PriceImpact noun="group" id={id} patch={paid} /> } : {}),
      ...(subject
        ? {
            undo: {
              method: change.method,
              path: change.path,
              params: { group: id },
              body: patchBetween(entryOf(values, before), before),
              title: t.acts.undo(id),
              action: t.acts.restore,
              done: t.acts.restored(id),
            },
          }
        : {}),
    }
    if ((await act(asked as Act<'PATCH', 'groups/{group}'>)) !== undefined) onClose()
  }
  const remove = async (group: string) => {
    const isGone = await act({
      method: 'DELETE',
      path: 'groups/{group}',
      params: { group },
      ...words('group delete', group),
      danger: true,
      hideChanges: true,
    })
    if (isGone !== undefined) onClose()
  }

  return (
    <Drawer
      open
      onClose={close}
      title={subject ? t.form.editTitle(subject.id) : t.form.createTitle}
      footer={
        <>
          {subject && (
            <ActButton
              permission="configuration"
              icon="trash"
              disabled={isLocked && subject.shadowed === null}
              onClick={() => void remove(subject.id)}
            >
              {words('group delete').action}
            </ActButton>
          )}
          <Button onClick={close}>{common.cancel}</Button>
          <ActButton permission="money" type="submit" form={form} variant="primary" busy={isBusy} disabled={isLocked}>
            {t.acts.review}
          </ActButton>
        </>
      }
    >
      <form id={form} noValidate onSubmit={submit} className="flex flex-col gap-6">
        {subject && <LockBanner entry={subject} />}
        {subject?.invalid?.map((mistake) => (
          <Banner key={mistake} tone="bad">
            {mistake}
          </Banner>
        ))}
        {error && <Banner tone="bad">{error}</Banner>}
        {mayPrice && !mayAll && <Banner>{t.form.pricesOnly}</Banner>}
        <fieldset disabled={!mayPrice} className="flex min-w-0 flex-col gap-6">
          <div className="flex flex-col gap-3">
            {!subject && (
              <TextField
                label={t.form.id}
                spellCheck={false}
                autoCapitalize="none"
                value={values.id}
                onChange={(id) => set({ id })}
              />
            )}
            <TextField
              label={t.form.multiplier}
              hint={t.form.multiplierHint}
              inputMode="decimal"
              value={values.multiplier}
              onChange={(multiplier) => set({ multiplier })}
            />
          </div>
          <OwnPrices models={models} values={values} onChange={(prices) => set({ prices })} />
        </fieldset>
        <fieldset disabled={!mayAll} className="flex min-w-0 flex-col gap-4">
          <ModelChoice
            models={models.map(({ id }) => id)}
            chosen={values.models}
            onChange={(chosen) => set({ models: chosen })}
            all={t.form.allModels}
            error={undefined}
          />
          <Checkbox label={t.form.console} checked={values.console} onChange={(console) => set({ console })} />
          <TextArea
            label={t.form.accounts}
            hint={t.form.accountsHint}
            optional
            rows={2}
            spellCheck={false}
            value={values.accounts}
            onChange={(accounts) => set({ accounts })}
          />
        </fieldset>
      </form>
      {subject && (
        <div className="mt-6">
          <Part title={t.form.history}>
            <History of={`group/${subject.id}`} revision={subject.source.revision} />
          </Part>
        </div>
      )}
    </Drawer>
  )
}

type OwnPricesProps = {
  models: readonly Parameters<typeof typeOf>[0][]
  values: GroupValues
  onChange(prices: GroupValues['prices']): void
}

/** Prices that the group sets itself, model by model. */
function OwnPrices({ models, values: { prices, models: chosen }, onChange }: OwnPricesProps) {
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
