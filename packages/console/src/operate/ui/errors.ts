import type { ApiError } from '../../api/client.ts'
import { useLanguage } from '../../i18n/language.tsx'
import { errorMessage } from '../../ui/states.tsx'

/** The text of an error. What the gateway says is more exact than a text by its code, so that other languages show both. */
export function useOperateError(): (error: ApiError) => string {
  const { language, texts } = useLanguage()
  return (error) => {
    const text = errorMessage(error, texts)
    return language === 'en' || error.status === 0 || text === error.message ? text : `${text} (${error.message})`
  }
}
