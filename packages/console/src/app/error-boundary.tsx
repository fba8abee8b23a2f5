import { Component, type ReactNode } from 'react'
import { useTexts } from '../i18n/language.tsx'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/states.tsx'

type Props = { children: ReactNode; place: string }

/** A page that fails leaves the navigation in place. Another `place` starts anew. */
export class ErrorBoundary extends Component<Props, { failedAt: string | undefined }> {
  override state: { failedAt: string | undefined } = { failedAt: undefined }

  static getDerivedStateFromError(): { failedAt: string } {
    return { failedAt: window.location.pathname }
  }

  override componentDidUpdate({ place }: Props): void {
    if (place !== this.props.place && this.state.failedAt !== undefined) this.setState({ failedAt: undefined })
  }

  override render(): ReactNode {
    return this.state.failedAt === undefined ? this.props.children : <Crashed />
  }
}

function Crashed() {
  const { crashed } = useTexts().common
  return (
    <EmptyState
      title={crashed.title}
      action={<Button onClick={() => window.location.reload()}>{crashed.action}</Button>}
    >
      {crashed.text}
    </EmptyState>
  )
}
