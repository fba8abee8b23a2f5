import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Route, Router, Switch, useLocation } from 'wouter'
import { ForgotPasswordPage } from '../pages/auth/forgot-password.tsx'
import { InvitationPage } from '../pages/auth/invitation.tsx'
import { VerifyEmailPage } from '../pages/auth/links.tsx'
import { ResetPasswordPage } from '../pages/auth/reset-password.tsx'
import { SetupPage } from '../pages/auth/set-up.tsx'
import { SignInPage } from '../pages/auth/sign-in.tsx'
import { SignUpPage } from '../pages/auth/sign-up.tsx'
import { ToastProvider } from '../ui/toast.tsx'
import { CONSOLE_PATH } from './base-path.ts'
import { ErrorBoundary } from './error-boundary.tsx'
import { Layout } from './layout.tsx'
import { guardNavigation, LeaveQuestion } from './leave-guard.tsx'
import { helpPage, operatePlace, PAGES } from './navigation.ts'
import { NotFound } from './not-found.tsx'
import { OPERATE } from './operate-path.ts'
import { SignedIn, useSession } from './session.tsx'

export function App({ client }: { client: QueryClient }) {
  return (
    <QueryClientProvider client={client}>
      <Router base={CONSOLE_PATH} aroundNav={guardNavigation}>
        <ToastProvider>
          <Switch>
            <Route path="/sign-in" component={SignInPage} />
            <Route path="/sign-up" component={SignUpPage} />
            <Route path="/forgot-password" component={ForgotPasswordPage} />
            <Route path="/reset" component={ResetPasswordPage} />
            <Route path="/verify" component={VerifyEmailPage} />
            <Route path="/invitation" component={InvitationPage} />
            <Route path="/setup" component={SetupPage} />
            <Route path={`${OPERATE}/*?`}>
              <SignedIn>
                <Operate />
              </SignedIn>
            </Route>
            <Route>
              <SignedIn>
                <Layout>
                  <Page />
                </Layout>
              </SignedIn>
            </Route>
          </Switch>
          <LeaveQuestion />
        </ToastProvider>
      </Router>
    </QueryClientProvider>
  )
}

function Page(): ReactNode {
  const [location] = useLocation()
  return (
    <ErrorBoundary place={location}>
      <Switch>
        {PAGES.map(({ id, path, page }) => (
          <Route key={id} path={path} component={page} />
        ))}
        {/* Pages below a page, such as /models/{id}, are the page's own. */}
        {PAGES.filter(({ path }) => path !== '/').map(({ id, path, page }) => (
          <Route key={`${id}-below`} path={`${path}/*?`} component={page} />
        ))}
        <Route path="/help/*?" component={helpPage.page} />
        <Route component={NotFound} />
      </Switch>
    </ErrorBoundary>
  )
}

/** For people without a role it does not exist. */
function Operate(): ReactNode {
  if (useSession().gateway_role !== null) return <operatePlace.page />
  return (
    <Layout>
      <NotFound />
    </Layout>
  )
}
