import { useTexts } from '../i18n/language.tsx'
import { ButtonLink } from '../ui/button.tsx'
import { PageHeader } from '../ui/page.tsx'

export function NotFound() {
  const { notFound } = useTexts().common
  return (
    <>
      <PageHeader title={notFound.title} text={notFound.text} />
      <ButtonLink href="/">{notFound.action}</ButtonLink>
    </>
  )
}
