import type { ModelRow } from '@trivium/gateway/console-api/types.ts'
import type { ReactNode } from 'react'
import { useLanguage } from '../../i18n/language.tsx'
import { formatUsd } from '../../ui/values.tsx'

/** The price in the first of the reader's groups, in one line. */
export function useShortPrice(): (model: ModelRow) => ReactNode {
  const { locale, texts } = useLanguage()
  const { short, perMillion } = texts.models
  return ({ prices: [first] }) => {
    const price = first?.price ?? {}
    const usd = (name: string) => formatUsd(String(price[name] ?? '0.00'), locale)
    const line =
      'per_image' in price
        ? short.image(`${usd('per_image')} USD`)
        : 'per_second' in price
          ? short.second(`${usd('per_second')} USD`)
          : 'per_video' in price
            ? short.video(`${usd('per_video')} USD`)
            : 'per_million_tokens' in price
              ? short.million(`${usd('per_million_tokens')} USD`)
              : short.text(usd('input'), usd('image_output' in price ? 'image_output' : 'output'))
    return (
      <span title={'input' in price ? perMillion : undefined} className="wide:whitespace-nowrap">
        {line}
        {'input' in price && <span className="sr-only"> {perMillion}</span>}
      </span>
    )
  }
}
