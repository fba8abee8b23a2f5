// The frame of the pages before sign-in: one card, and the choice of the language below it.

import type { ReactNode } from 'react'
import { useAbout } from '../../api/queries.ts'
import { Logo } from '../../app/frame.tsx'
import { setTheme, useTheme } from '../../app/theme.ts'
import { LANGUAGES, type Language, useLanguage } from '../../i18n/language.tsx'
import { SelectField } from '../../ui/form/field.tsx'
import { useTitle } from '../../ui/page.tsx'

export function AuthCard({
  title,
  text,
  children,
  below,
}: {
  title: string
  text?: ReactNode
  children?: ReactNode
  below?: ReactNode
}) {
  useTitle(title)
  const { data } = useAbout()
  return (
    <main className="flex min-h-dvh flex-col items-center justify-center gap-6 px-4 py-8">
      <div className="w-full max-w-[384px]">
        <div className="mb-4 flex h-6 items-center gap-2 px-1 font-semibold">
          <Logo />
          {data?.name}
        </div>
        <div className="rounded-lg border bg-surface p-6">
          <h1 className="text-xl font-semibold">{title}</h1>
          {text && <div className="mt-1 text-muted">{text}</div>}
          {children && <div className="mt-6">{children}</div>}
        </div>
        {below && <div className="mt-4 text-center text-muted">{below}</div>}
      </div>
      <Preferences />
    </main>
  )
}

function Preferences() {
  const { language, setLanguage, texts } = useLanguage()
  const theme = useTheme()
  return (
    <div className="flex gap-2 text-sm">
      <SelectField
        hideLabel
        label={texts.nav.language}
        value={language}
        onChange={(value) => setLanguage(value as Language)}
        options={Object.entries(LANGUAGES).map(([value, label]) => ({ value, label }))}
      />
      <SelectField
        hideLabel
        label={texts.nav.theme}
        value={theme}
        onChange={(value) => setTheme(value as typeof theme)}
        options={(['system', 'light', 'dark'] as const).map((value) => ({ value, label: texts.theme[value] }))}
      />
    </div>
  )
}
