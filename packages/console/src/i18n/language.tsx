// The language of the console: chosen by the person, else that of the browser. Chinese is loaded when it is needed.

import * as en from 'trivium:en/i18n/texts/index.ts'
import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from 'react'
import { type Language, LOCALES, localeOf } from './locale.ts'
import type { Texts } from './texts.ts'

export type { Language } from './locale.ts'

export const LANGUAGES: Readonly<Record<Language, string>> = { en: 'English', zh: '简体中文' }

const STORED = 'trivium-language'

type Current = { language: Language; texts: Texts }
type LanguageState = Current & { locale: string; setLanguage(language: Language): void }

const Context = createContext<LanguageState | undefined>(undefined)

async function load(language: Language): Promise<Current> {
  const texts: Texts = language === 'zh' ? await import('trivium:zh/i18n/texts/index.ts') : en
  document.documentElement.lang = LOCALES[language]
  return { language, texts }
}

const isLanguage = (text: string | null): text is Language => text !== null && Object.hasOwn(LANGUAGES, text)

function preferredLanguage(): Language {
  const stored = localStorage.getItem(STORED)
  if (isLanguage(stored)) return stored
  return (navigator.languages ?? [navigator.language]).find((each) => /^(zh|en)\b/i.test(each))?.startsWith('zh')
    ? 'zh'
    : 'en'
}

/** Before the first render, so that no text changes on screen. */
export const loadLanguage = (): Promise<Current> => load(preferredLanguage())

export function LanguageProvider({ initial, children }: { initial: Current; children: ReactNode }) {
  const [current, setCurrent] = useState(initial)
  const setLanguage = useCallback((language: Language) => {
    localStorage.setItem(STORED, language)
    void load(language).then(setCurrent)
  }, [])
  const value = useMemo(
    () => ({ ...current, locale: localeOf(current.language, navigator.languages), setLanguage }),
    [current, setLanguage],
  )
  return <Context value={value}>{children}</Context>
}

export function useLanguage(): LanguageState {
  const value = useContext(Context)
  if (!value) throw new Error('LanguageProvider is missing')
  return value
}

/** `const t = useTexts().keys` */
export const useTexts = (): Texts => useLanguage().texts
