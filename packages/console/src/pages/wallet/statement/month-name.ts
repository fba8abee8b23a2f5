import { useLanguage } from '../../../i18n/language.tsx'

/** `2026-01` in the language of the page. */
export function useMonthName(): (month: string) => string {
  const { locale } = useLanguage()
  return (month) =>
    new Intl.DateTimeFormat(locale, { year: 'numeric', month: 'long', timeZone: 'UTC' }).format(
      new Date(`${month}-01T00:00:00Z`),
    )
}
