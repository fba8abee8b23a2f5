// Changes of models, each with what it means for those who pay.

import { isEmpty, patchBetween } from '../../../ui/form/patches.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { useWords } from '../../i18n/use-words.ts'
import { useAct } from '../../ui/act.tsx'
import type { ModelRow } from './inline-price.tsx'
import { PriceImpact } from './prices/impact.tsx'
import type { Price } from './prices/price-values.ts'

/** Asks for a change of the price alone, which finance may make. */
export function usePriceAct(): (model: Pick<ModelRow, 'id' | 'price'>, price: Price) => Promise<boolean> {
  const t = useOperateTexts().models
  const act = useAct()
  const words = useWords()
  return async ({ id, price: written }, after) => {
    const before = (written ?? {}) as Price
    const patch = patchBetween(before, after)
    if (isEmpty(patch)) return false
    const request = (price: Price | null) =>
      ({ method: 'PATCH', path: 'models/{model}', params: { model: id }, body: { price } }) as const
    const done = await act({
      ...request(patch),
      ...words('model price', id),
      text: <PriceImpact noun="model" id={id} patch={{ price: patch }} />,
      undo: {
        // A model that had no price has none again.
        ...request(written === null ? null : patchBetween(after, before)),
        title: t.acts.undoPrice(id),
        action: t.acts.restore,
        done: t.acts.priceRestored(id),
      },
    })
    return done !== undefined
  }
}

export function useDeleteAct(): (id: string) => Promise<boolean> {
  const act = useAct()
  const words = useWords()
  return async (id) => {
    const done = await act({
      method: 'DELETE',
      path: 'models/{model}',
      params: { model: id },
      ...words('model delete', id),
      danger: true,
      hideChanges: true,
    })
    return done !== undefined
  }
}
