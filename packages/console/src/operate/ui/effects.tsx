import { useOperateTexts } from '../i18n/use-texts.tsx'

/** What a change means in numbers. Those that are zero do not matter. */
export function Effects({ effects }: { effects: Readonly<Record<string, string | number>> }) {
  const texts = useOperateTexts()
  const shown = Object.entries(effects).filter(([, value]) => value !== 0 && value !== '0.00')
  if (shown.length === 0) return null
  return (
    <section aria-label={texts.acts.effects} className="rounded-md bg-warn-soft px-3 py-2 text-warn">
      <ul className="flex flex-col gap-1">
        {shown.map(([name, value]) => (
          <li key={name}>{texts.effects[name]?.(String(value)) ?? `${name}: ${value}`}</li>
        ))}
      </ul>
    </section>
  )
}
