// The drawer in which a model is created or edited. Finance edits the price alone.

import { type FormEvent, useId, useState } from 'react'
import { useFormGuard } from '../../../app/leave-guard.tsx'
import { useTexts } from '../../../i18n/language.tsx'
import { Button } from '../../../ui/button.tsx'
import { Drawer } from '../../../ui/dialog.tsx'
import { SelectField, TextField } from '../../../ui/form/field.tsx'
import { Part } from '../../../ui/page.tsx'
import { Banner, Skeleton } from '../../../ui/states.tsx'
import { type AnyChange, rehearse } from '../../api/client.ts'
import { useAdmin, useVersion } from '../../api/queries.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { useWords } from '../../i18n/use-words.ts'
import { useAct } from '../../ui/act.tsx'
import type { Act, AnyAct } from '../../ui/act-types.ts'
import { useOperateError } from '../../ui/errors.ts'
import { useMay } from '../../ui/permissions.ts'
import { entryOf, type ModelValues, valuesOf } from './form-values.ts'
import type { ModelRow } from './inline-price.tsx'
import { PriceImpact } from './prices/impact.tsx'
import { isEmpty, patchBetween } from './prices/patches.ts'
import { PriceFields } from './prices/price-fields.tsx'
import { firstCosts, MODEL_TYPES, type ModelType, mainFigures, withFigures } from './prices/price-values.ts'
import { RouteFields } from './route-fields.tsx'

type Fields = Readonly<Record<string, unknown>>
const NAMES = ['type', 'routes', 'price', 'capabilities', 'limits', 'fallbacks'] as const
const NONE: Fields = Object.fromEntries(NAMES.map((name) => [name, null]))
const ALL = { limit: '1000' }

export function ModelForm({ subject, onClose }: { subject: ModelRow | undefined; onClose(): void }) {
  const { data } = useAdmin('upstreams', ALL)
  const upstreams = data?.data.map(({ id }) => id)
  if (!upstreams)
    return (
      <Drawer open onClose={onClose} title={subject?.id ?? ''}>
        <Skeleton size="h-64 w-full" />
      </Drawer>
    )
  return <Form subject={subject} upstreams={upstreams} onClose={onClose} />
}

type FormProps = { subject: ModelRow | undefined; upstreams: readonly string[]; onClose(): void }

function Form({ subject, upstreams, onClose }: FormProps) {
  const { common } = useTexts()
  const texts = useTexts().models
  const t = useOperateTexts().models
  const messageOf = useOperateError()
  const act = useAct()
  const words = useWords()
  const mayAll = useMay()('configuration')
  const [first] = useState(() => valuesOf(subject, upstreams[0] ?? ''))
  const [values, setValues] = useState(first)
  const [error, setError] = useState<{ param: string; message: string }>()
  const [isBusy, setBusy] = useState(false)
  const close = useFormGuard(values !== first, onClose)
  const form = useId()
  const set = (change: Partial<ModelValues>) => {
    setError(undefined)
    setValues((former) => ({ ...former, ...change }))
  }

  const before: Fields = subject ? Object.fromEntries(NAMES.map((name) => [name, subject[name] ?? null])) : NONE
  const version = useVersion(subject ? 'models/{model}' : undefined, { model: subject?.id ?? '' })

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (isBusy) return
    const typed = entryOf(values, before)
    // Routes that nobody touched stay as they were written.
    const whole = values.routes === first.routes ? { ...typed, routes: before.routes } : typed
    const after = mayAll ? whole : { ...before, price: typed.price }
    const patch = patchBetween(before, after)
    if (subject && isEmpty(patch)) return onClose()
    const change: AnyChange = subject
      ? {
          method: 'PATCH',
          path: 'models/{model}',
          params: { model: subject.id },
          body: patch,
        }
      : { method: 'POST', path: 'models', body: { id: values.id.trim(), ...patch } }
    setBusy(true)
    const rehearsed = await rehearse(change)
    setBusy(false)
    // Mistakes are shown beside the fields, before anything is asked.
    if (!rehearsed.ok) return setError({ param: rehearsed.error.param ?? '', message: messageOf(rehearsed.error) })
    setError(undefined)
    const asked: AnyAct = {
      ...change,
      version: await version(),
      rehearsed: rehearsed.value,
      ...(subject ? words('model change', subject.id) : words('model create', values.id.trim())),
      ...(subject && 'price' in patch
        ? { text: <PriceImpact noun="model" id={subject.id} patch={{ price: patch.price }} /> }
        : {}),
      ...(subject
        ? {
            undo: {
              method: change.method,
              path: change.path,
              params: { model: subject.id },
              body: patchBetween(after, before),
              title: t.acts.undo(subject.id),
              action: t.acts.restore,
              done: t.acts.restored(subject.id),
            },
          }
        : {}),
    }
    const done = await act(asked as Act<'PATCH', 'models/{model}'>)
    if (done !== undefined) onClose()
  }

  const priceErrors: Record<string, string> = error?.param.startsWith('price.')
    ? { [error.param.slice('price.'.length)]: error.message }
    : {}
  const isShown = Object.keys(priceErrors).some((path) => path in values.price)
  const costs = firstCosts(
    values.routes.map(({ priority, weight, cost, written }) => ({
      priority: Number(priority),
      weight: Number(weight),
      cost: Object.values(cost).some((text) => text.trim() !== '') ? withFigures(written.cost, cost) : null,
    })),
  )
  const setType = (type: ModelType) =>
    set({ type, price: Object.fromEntries(mainFigures(type, {}).map((path) => [path, ''])) })
  return (
    <Drawer
      open
      onClose={close}
      title={subject ? t.form.editTitle(subject.id) : t.form.createTitle}
      footer={
        <>
          <Button onClick={close}>{common.cancel}</Button>
          <Button type="submit" form={form} variant="primary" busy={isBusy}>
            {t.review}
          </Button>
        </>
      }
    >
      <form id={form} noValidate onSubmit={submit} className="flex flex-col gap-6">
        {error && !isShown && <Banner tone="bad">{error.message}</Banner>}
        {!mayAll && <Banner>{t.form.priceOnly}</Banner>}
        {!subject && (
          <div className="grid grid-cols-[minmax(0,1fr)_120px] gap-3">
            <TextField
              label={t.form.id}
              hint={t.form.idHint}
              spellCheck={false}
              autoCapitalize="none"
              value={values.id}
              onChange={(id) => set({ id })}
            />
            <SelectField
              label={t.columns.type}
              value={values.type}
              onChange={(type) => setType(type as ModelType)}
              options={MODEL_TYPES.map((value) => ({
                value,
                label: texts.types[value] ?? value,
              }))}
            />
          </div>
        )}
        <Part title={t.columns.price} text={t.form.priceText}>
          <PriceFields
            type={values.type}
            figures={values.price}
            onChange={(price) => set({ price })}
            costs={costs}
            errors={priceErrors}
            of={values.id}
          />
        </Part>
        {mayAll && (
          <>
            <Part title={t.columns.routes} text={t.form.routesText}>
              <RouteFields
                type={values.type}
                price={values.price}
                routes={values.routes}
                upstreams={upstreams}
                onChange={(routes) => set({ routes })}
              />
            </Part>
            {values.type === 'text' && (
              <Part title={t.form.limits}>
                <div className="grid grid-cols-2 gap-3">
                  <TextField
                    label={texts.limitNames.context ?? 'context'}
                    optional
                    inputMode="numeric"
                    value={values.context}
                    onChange={(context) => set({ context })}
                  />
                  <TextField
                    label={texts.limitNames.max_output ?? 'max_output'}
                    optional
                    inputMode="numeric"
                    value={values.maxOutput}
                    onChange={(maxOutput) => set({ maxOutput })}
                  />
                </div>
                <TextField
                  label={t.form.fallbacks}
                  hint={t.form.fallbacksHint}
                  optional
                  spellCheck={false}
                  value={values.fallbacks}
                  onChange={(fallbacks) => set({ fallbacks })}
                />
              </Part>
            )}
          </>
        )}
      </form>
    </Drawer>
  )
}
