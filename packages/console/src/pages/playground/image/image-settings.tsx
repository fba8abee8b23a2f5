import { field } from '../../../api/body.ts'
import type { ModelRow } from '../../../api/types.ts'
import { useTexts } from '../../../i18n/language.tsx'
import { SelectField } from '../../../ui/form/field.tsx'
import { MoreSettings } from '../layout.tsx'
import type { ImageSettings } from './image-call.ts'

const SIZES = ['256x256', '512x512', '1024x1024', '1024x1536', '1536x1024']
const QUALITIES = ['low', 'medium', 'high']
const FORMATS = ['png', 'jpeg', 'webp']
const MOST_PARTIALS = 3
const MOST_IMAGES = 4

type Chosen = Omit<ImageSettings, 'model' | 'prompt'>
type ImageSettingsProps = { model: ModelRow | undefined; chosen: Chosen; onChange(change: Partial<Chosen>): void }

export const NO_IMAGE_SETTINGS: Chosen = { size: '', quality: '', format: '', count: 1, partials: 2 }

export function ImageSettingsFields({ model, chosen, onChange }: ImageSettingsProps) {
  const t = useTexts().playground
  const named = (values: readonly string[], names: Readonly<Record<string, string>> = {}) => [
    { value: '', label: t.byModel },
    ...values.map((value) => ({ value, label: names[value] ?? value })),
  ]
  const numbers = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, index) => ({ value: String(from + index), label: String(from + index) }))
  const most = Math.min(MOST_IMAGES, Number(model?.limits.n ?? MOST_IMAGES) || 1)
  return (
    <MoreSettings>
      <SelectField
        label={t.size}
        value={chosen.size}
        onChange={(size) => onChange({ size })}
        options={named(sizesOf(model))}
      />
      <SelectField
        label={t.quality}
        value={chosen.quality}
        onChange={(quality) => onChange({ quality })}
        options={named(textsOf(model?.limits.qualities) ?? QUALITIES, t.qualities)}
      />
      <SelectField
        label={t.format}
        value={chosen.format}
        onChange={(format) => onChange({ format })}
        options={named(FORMATS, { png: 'PNG', jpeg: 'JPEG', webp: 'WebP' })}
      />
      <SelectField
        label={t.partials}
        hint={t.partialsHint}
        value={String(chosen.partials)}
        onChange={(partials) => onChange({ partials: Number(partials) })}
        options={numbers(0, MOST_PARTIALS)}
      />
      {chosen.partials === 0 && (
        <SelectField
          label={t.count}
          value={String(chosen.count)}
          onChange={(count) => onChange({ count: Number(count) })}
          options={numbers(1, most)}
        />
      )}
    </MoreSettings>
  )
}

export const textsOf = (value: unknown): string[] | undefined =>
  Array.isArray(value) && value.length > 0 ? value.map(String) : undefined

/** The model's own list; or those of the usual sizes that are within its range. */
function sizesOf(model: ModelRow | undefined): string[] {
  const sizes = model?.limits.sizes
  const [least, most] = [Number(field(sizes, 'min') ?? 0), Number(field(sizes, 'max') ?? Number.POSITIVE_INFINITY)]
  const fits = (size: string) => size.split('x').every((pixels) => Number(pixels) >= least && Number(pixels) <= most)
  return textsOf(sizes)?.filter((size) => size !== 'auto') ?? SIZES.filter(fits)
}
