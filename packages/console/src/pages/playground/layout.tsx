import { type ReactNode, useState } from 'react'
import { useTexts } from '../../i18n/language.tsx'

/** What is asked with at the left, or first on small screens; what was answered beside it. */
export function Columns({ settings, children }: { settings: ReactNode; children: ReactNode }) {
  return (
    <div className="grid items-start gap-4 full:grid-cols-[300px_minmax(0,1fr)]">
      <div className="flex min-w-0 flex-col gap-4 rounded-lg border bg-surface p-4">{settings}</div>
      <div className="flex min-w-0 flex-col gap-4">{children}</div>
    </div>
  )
}

/** Open where there is room for it. */
export function MoreSettings({ children }: { children: ReactNode }) {
  const t = useTexts().playground
  const [isOpen] = useState(() => window.matchMedia('(width >= 1080px)').matches)
  return (
    <details open={isOpen} className="group min-w-0">
      <summary className="rounded-sm py-1 font-medium">{t.parameters}</summary>
      <div className="mt-3 flex min-w-0 flex-col gap-4">{children}</div>
    </details>
  )
}
