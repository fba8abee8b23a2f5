// The drawer in which a model is created or edited. Finance edits the price alone.

import { type ReactNode, useState } from 'react'
import { useTexts } from '../../../i18n/language.tsx'
import { type Entry, ownField } from '../../../ui/form/fields.ts'
import { textIn, type Values } from '../../../ui/form/typed-values.ts'
import { DetailDrawer } from '../../../ui/loaded.tsx'
import { Part } from '../../../ui/page.tsx'
import { Banner } from '../../../ui/states.tsx'
import { useAdmin } from '../../api/queries.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { useWords } from '../../i18n/use-words.ts'
import { ActForm } from '../../ui/act-form.tsx'
import { useMay } from '../../ui/permissions.ts'
import { type RouteValues, routeOf, routeValues } from './form-values.ts'
import { type ModelRow, typeOf } from './inline-price.tsx'
import { PriceImpact } from './prices/impact.tsx'
import { PriceFields } from './prices/price-fields.tsx'
import {
  type Figures,
  figuresOf,
  firstCosts,
  MODEL_TYPES,
  type ModelType,
  mainFigures,
  withFigures,
} from './prices/price-values.ts'
import { RouteFields } from './route-fields.tsx'

const ALL = { limit: '1000' }

export function ModelForm({ subject, onClose }: { subject: ModelRow | undefined; onClose(): void }) {
  const query = useAdmin('upstreams', ALL)
  const upstreams = query.data?.data.map(({ id }) => id)
  if (!upstreams) return <DetailDrawer onClose={onClose} title={subject?.id ?? ''} query={query} />
  return <Form subject={subject} upstreams={upstreams} onClose={onClose} />
}

type Name = 'aliases' | 'hidden' | 'retires' | 'replaced_by'
type FormProps = { subject: ModelRow | undefined; upstreams: readonly string[]; onClose(): void }

const usualFigures = (type: ModelType, price: Figures): Figures =>
  Object.fromEntries(mainFigures(type, price).map((path) => [path, '']))
const pathIn = (param: string) => param.slice('price.'.length)

function Form({ subject, upstreams, onClose }: FormProps) {
  const texts = useTexts().models
  const t = useOperateTexts().models
  const words = useWords()
  const mayAll = useMay()('configuration')
  const typeIn = ({ type }: Values) => (type as ModelType | undefined) ?? (subject ? typeOf(subject) : 'text')
  const idIn = (values: Values) => subject?.id ?? textIn(values, 'id').trim()
  const [first] = useState(() => {
    const figures = figuresOf(subject?.price)
    const written = subject ? ((subject.routes ?? []) as { upstream: string }[]) : [{ upstream: upstreams[0] ?? '' }]
    return { price: { ...usualFigures(typeIn({}), figures), ...figures }, routes: written.map(routeValues) }
  })
  const price = ownField<Figures, 'price'>('price', {
    first: first.price,
    write(figures) {
      const after = withFigures(subject?.price, figures)
      return Object.keys(after).length === 0 ? undefined : after
    },
    shows: (param, figures) => param.startsWith('price.') && pathIn(param) in figures,
    show: ({ value, onChange, values, errors }) => (
      <PriceFields
        type={typeIn(values)}
        figures={value}
        onChange={onChange}
        costs={costsOf(values.routes as readonly RouteValues[] | undefined)}
        errors={Object.fromEntries(Object.entries(errors).map(([param, said]) => [pathIn(param), said]))}
        of={idIn(values)}
      />
    ),
  })
  const routes = ownField<readonly RouteValues[], 'routes'>('routes', {
    first: first.routes,
    // Routes that nobody touched stay as they were written.
    write: (edited) => (subject && edited === first.routes ? subject.routes : edited.map(routeOf)),
    shows: () => false,
    show: ({ value, onChange, values }) => (
      <RouteFields
        type={typeIn(values)}
        price={values.price as Figures}
        routes={value}
        upstreams={upstreams}
        onChange={onChange}
      />
    ),
  })
  const fields: readonly Entry<'price' | 'routes' | 'fallbacks' | Name | `limits.${string}`>[] = [
    !mayAll && <Banner key="price">{t.form.priceOnly}</Banner>,
    { frame: partOf(t.columns.price, t.form.priceText), fields: [price] },
    mayAll && { frame: partOf(t.columns.routes, t.form.routesText), fields: [routes] },
    mayAll && {
      isShown: (values) => typeIn(values) === 'text',
      frame: partOf(t.form.limits),
      fields: [
        {
          frame: (shown) => <div className="grid grid-cols-2 gap-3">{shown}</div>,
          fields: (['context', 'max_output'] as const).map((limit) => ({
            name: `limits.${limit}` as const,
            label: texts.limitNames[limit] ?? limit,
            as: 'number',
            optional: true,
          })),
        },
        { name: 'fallbacks', label: t.form.fallbacks, hint: t.form.fallbacksHint, as: 'words', optional: true },
      ],
    },
    mayAll && {
      frame: partOf(t.form.names),
      fields: [
        { name: 'aliases', label: t.form.aliases, hint: t.form.aliasesHint, as: 'words', optional: true },
        { name: 'hidden', label: t.form.hidden, as: 'switch' },
        {
          frame: (shown) => <div className="grid grid-cols-2 gap-3">{shown}</div>,
          fields: [
            { name: 'retires', label: t.form.retires, placeholder: '2026-12-01', optional: true },
            { name: 'replaced_by', label: t.form.replacedBy, optional: true },
          ],
        },
      ],
    },
  ]
  const shared = { isLong: true, className: 'flex flex-col gap-6', action: t.review, onClose }
  if (!subject)
    return (
      <ActForm
        {...shared}
        method="POST"
        path="models"
        title={t.form.createTitle}
        fields={[
          {
            frame: (shown) => <div className="grid grid-cols-[minmax(0,1fr)_120px] gap-3">{shown}</div>,
            fields: [
              { name: 'id', label: t.form.id, hint: t.form.idHint, optional: false },
              {
                name: 'type',
                label: t.columns.type,
                usual: 'text',
                as: MODEL_TYPES.map((value) => ({ value, label: texts.types[value] ?? value })),
                write: (type) => (type === 'text' ? undefined : type),
                sets: (type) => ({ price: usualFigures(type as ModelType, {}) }),
              },
            ],
          },
          ...fields,
        ]}
        question={(_, values) => words('model create', idIn(values))}
      />
    )
  const { id } = subject
  return (
    <ActForm
      {...shared}
      method="PATCH"
      path="models/{model}"
      params={{ model: id }}
      of={subject}
      title={t.form.editTitle(id)}
      fields={fields}
      question={(patch) => ({
        ...words('model change', id),
        ...('price' in patch ? { text: <PriceImpact noun="model" id={id} patch={{ price: patch.price }} /> } : {}),
      })}
      undo={{ title: t.acts.undo(id), action: t.acts.restore, done: t.acts.restored(id) }}
    />
  )
}

const partOf = (title: string, text?: string) => (shown: ReactNode) => (
  <Part title={title} {...(text === undefined ? {} : { text })}>
    {shown}
  </Part>
)

const costsOf = (routes: readonly RouteValues[] = []): Figures | undefined =>
  firstCosts(
    routes.map(({ priority, weight, cost, written }) => ({
      priority: Number(priority),
      weight: Number(weight),
      cost: Object.values(cost).some((text) => text.trim() !== '') ? withFigures(written.cost, cost) : null,
    })),
  )
