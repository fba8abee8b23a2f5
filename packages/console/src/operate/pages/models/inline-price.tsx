// The price of a model in its row: shown, and edited in place while the margin is computed again with every key.

import { type FormEvent, useState } from 'react'
import { useTexts } from '../../../i18n/language.tsx'
import { Button, IconButton } from '../../../ui/button.tsx'
import { classes } from '../../../ui/classes.ts'
import { CONTROL } from '../../../ui/form/field.tsx'
import type { Row } from '../../api/routes.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { useMay } from '../../ui/permissions.ts'
import { Margin, ShortPrice, useFigureName, usePriceUnit } from './prices/figures.tsx'
import {
  figuresOf,
  firstCosts,
  type ModelType,
  mainFigures,
  marginOf,
  type Price,
  withFigures,
} from './prices/price-values.ts'

export type ModelRow = Row<'models'>
export const typeOf = ({ effective, type }: ModelRow): ModelType =>
  effective?.type ?? (type as ModelType | null) ?? 'text'

/** `onSave`: the whole price as it should be. */
export function InlinePrice({ model, onSave }: { model: ModelRow; onSave(price: Price): void }) {
  const t = useOperateTexts().models
  const may = useMay()
  const unitOf = usePriceUnit()
  const [isEditing, setEditing] = useState(false)
  if (isEditing) return <Editor model={model} onSave={onSave} onClose={() => setEditing(false)} />
  const price = (model.effective?.price ?? model.price) as Price | null
  const mayEdit = may('money')
  if (mayEdit && !model.read_only && !price)
    return (
      <Button small onClick={() => setEditing(true)}>
        {t.setPrice}
        <span className="sr-only">: {model.id}</span>
      </Button>
    )
  return (
    <span className="inline-flex items-center gap-1">
      <ShortPrice type={typeOf(model)} price={price} unit={unitOf(typeOf(model), price)} />
      {mayEdit &&
        (model.read_only ? (
          // Figures of all rows stand below each other.
          <span className="hidden size-7 rows:inline-block pointer-coarse:size-10" />
        ) : (
          <IconButton icon="edit" label={t.editPriceOf(model.id)} onClick={() => setEditing(true)} />
        ))}
    </span>
  )
}

type EditorProps = { model: ModelRow; onSave(price: Price): void; onClose(): void }

function Editor({ model, onSave, onClose }: EditorProps) {
  const t = useOperateTexts().models
  const { common } = useTexts()
  const name = useFigureName()
  const written = figuresOf(model.price)
  const [figures, setFigures] = useState(written)
  const costs = firstCosts(model.effective?.routes ?? [])
  const shown = mainFigures(typeOf(model), written)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onClose()
    onSave(withFigures(model.price, figures))
  }
  const margins = shown.flatMap((path) => marginOf(figures[path], costs?.[path]) ?? [])
  return (
    <form
      onSubmit={submit}
      onKeyDown={(event) => event.key === 'Escape' && onClose()}
      className="flex flex-wrap items-center justify-end gap-1"
    >
      {shown.map((path, index) => (
        <input
          key={path}
          // biome-ignore lint/a11y/noAutofocus: the person has just asked for this field.
          autoFocus={index === 0}
          aria-label={t.figureOf(name(path), model.id)}
          title={name(path)}
          inputMode="decimal"
          autoComplete="off"
          value={figures[path] ?? ''}
          onChange={(event) => setFigures({ ...figures, [path]: event.target.value })}
          className={classes(CONTROL, 'h-7 max-w-20 px-1.5 text-right tabular-nums pointer-coarse:h-10')}
        />
      ))}
      {costs && (
        <span role="status" aria-label={t.columns.margin} className="min-w-16 text-right text-sm">
          <Margin percent={margins.length === shown.length ? Math.min(...margins) : null} />
        </span>
      )}
      <Button small type="submit" variant="primary">
        {t.review}
      </Button>
      <IconButton icon="close" label={common.cancel} onClick={onClose} />
    </form>
  )
}
