// The locale that dates and numbers are written in. Pure.

export type Language = 'en' | 'zh'
export const LOCALES: Readonly<Record<Language, string>> = { en: 'en', zh: 'zh-CN' }

/** A browser in the same language knows the region, and with it the formats of dates. */
export function localeOf(language: Language, languages: readonly string[] = []): string {
  return languages.find((each) => each.toLowerCase().startsWith(language) && isLocale(each)) ?? LOCALES[language]
}

/** Chromium on a system without a language calls it `en-US@posix`, which formats of dates and numbers reject. */
function isLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length > 0
  } catch {
    return false
  }
}
